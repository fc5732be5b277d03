// YAML as far as needed for colours: comments, names, strings, numbers and words, one line at a time.
import { StreamLanguage } from "@codemirror/language";

const NUMBER = /^[-+]?(0x[\da-f]+|0o[0-7]+|\.?\d[\d.]*(e[-+]?\d+)?)(?=\s*($|[,\]}]|\s#))/i;
const WORD = /^(true|false|null|~)(?=\s*($|[,\]}]|\s#))/i;
/** A name: up to a colon followed by a blank or nothing. */
const NAME = /^("(\\.|[^"\\])*"|'(''|[^'])*'|[^\s#,[\]{}"'&*!|>%@`-][^#:,[\]{}]*?|-[^\s#:][^#:]*?)(?=\s*:(\s|$))/;

function token(stream, state) {
  if (stream.sol()) {
    // The lines of a block scalar are indented deeper than the line that introduces it.
    if (state.block !== null && (stream.indentation() > state.block || /^\s*$/.test(stream.string))) {
      stream.skipToEnd();
      return "string";
    }
    state.block = null;
    if (stream.match(/^(---|\.\.\.)/)) return "meta";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^[-?:](?=\s|$)/)) return "punctuation";
  if (stream.match(/^[,[\]{}]/)) return "punctuation";
  if (stream.match(/^[&*]\S+/) || stream.match(/^!\S*/)) return "meta";
  if (stream.match(NAME)) return "propertyName";
  if (stream.match(/^[|>][-+\d]*(?=\s*($|#))/)) {
    state.block = stream.indentation();
    return "meta";
  }
  if (stream.match(/^"(\\.|[^"\\])*"?/) || stream.match(/^'(''|[^'])*'?/)) return "string";
  if (stream.match(NUMBER)) return "number";
  if (stream.match(WORD)) return "atom";
  stream.match(/^[^\s#,[\]{}]+/) || stream.next();
  return "string";
}

/** The YAML mode for CodeMirror. */
export const yaml = StreamLanguage.define({
  name: "yaml",
  startState: () => ({ block: null }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: "#" } },
});
