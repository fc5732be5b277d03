def delpaths($paths): if any($paths[]; . == []) then null else reduce ($paths | unique | sort_by(map(if type == "object" then .start // 0 else . end)) | reverse | .[]) as $path (.; getpath($path) |= empty) end;
def del(f): [path(f)] as $paths | if ($paths | length) > 1 then delpaths($paths) else f |= empty end;
def fuel_cell($format): if isarray then . else error("\(type) (\(tojson)) cannot be \($format)-formatted, only an array can be") end | .[];
def @csv: [fuel_cell("csv") | if isstring then "\"" + (split("\"") | join("\"\"")) + "\"" elif . == null then "" elif type == "number" or type == "boolean" then tojson else error("\(type) (\(tojson)) is not valid in a csv row") end] | join(",");
def @tsv: [fuel_cell("tsv") | if isstring then split("\\") | join("\\\\") | split("\t") | join("\\t") | split("\n") | join("\\n") | split("\r") | join("\\r") elif . == null then "" elif type == "number" or type == "boolean" then tojson else error("\(type) (\(tojson)) is not valid in a tsv row") end] | join("\t");
def split($sep): if isstring and ($sep | isstring) then fuel_length | . / $sep else error("split input and separator must be strings") end;
