// How the editor looks: the page's custom properties, nothing else.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const looks = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-line': { padding: '0 14px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '1.5px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection) !important',
  },
  '.cm-gutters': {
    color: 'var(--text-3)',
    backgroundColor: 'var(--surface)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.4em', padding: '0 6px 0 2px' },
  '.cm-activeLine': { backgroundColor: 'var(--line-active)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--line-active)' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', padding: '0 4px', color: 'var(--text-3)' },
  '.cm-foldPlaceholder': {
    color: 'var(--text-2)',
    backgroundColor: 'var(--surface-3)',
    border: '1px solid var(--line-strong)',
    padding: '0 6px',
  },
  '.cm-gutter-lint': { width: '18px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '6px auto 0', borderRadius: '50%', content: 'none' },
  '.cm-lint-marker-error': { content: 'normal', backgroundColor: 'var(--red-dot)' },
  '.cm-lint-marker-warning': { content: 'normal', backgroundColor: 'var(--amber-dot)' },
  '.cm-lint-marker-info': { content: 'normal', backgroundColor: 'var(--blue-dot)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--red-dot)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px solid var(--amber-dot)' },
  '.cm-lintRange-info': { backgroundImage: 'none', borderBottom: '2px dotted var(--blue-dot)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--amber-bg)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selection)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--red-bg)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--surface-3)' },
  '.cm-searchMatch': { backgroundColor: 'var(--amber-bg)', outline: '1px solid var(--amber-dot)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selection)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-2)',
    overflow: 'hidden',
    maxWidth: '420px',
  },
  '.cm-diagnostic': { padding: '8px 12px', borderLeft: '3px solid transparent', fontFamily: 'var(--font-sans)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--red-dot)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--amber-dot)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--blue-dot)' },
  '.cm-diagnosticSource': { fontFamily: 'var(--font-mono)', fontSize: '11.5px', color: 'var(--text-3)', opacity: '1' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface-2)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 34px 8px 10px', fontFamily: 'var(--font-sans)' },
  '.cm-panel.cm-search label': { fontSize: '12.5px', whiteSpace: 'nowrap' },
  '.cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '4px 8px',
    fontSize: '13px',
  },
  '.cm-button': {
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '4px 10px',
    fontSize: '12.5px',
  },
  '.cm-textfield:focus-visible, .cm-button:focus-visible': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text-2)', fontSize: '18px', right: '8px', top: '6px' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-name)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-atom)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--text-2)' },
  { tag: tags.invalid, color: 'var(--red-text)' },
]);

/** The extension: looks and syntax colours. */
export const theme = [looks, syntaxHighlighting(colours)];
