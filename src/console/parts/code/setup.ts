import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, linter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

import { t } from '../../texts/texts'
import type { CodeProblem, CodeProps, Variable } from './code-field'

/** The looks of the page, whose colors reach into a shadow root. */
const LOOKS = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--panel)', maxHeight: '28rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', fontSize: '13px', lineHeight: '1.55' },
  '.cm-content': { minHeight: '9rem', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--soft)',
    border: 'none',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent) !important',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--chosen)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
})

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-strong)' },
  { tag: tags.string, color: 'var(--info)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.variableName, tags.keyword], color: 'var(--accent-strong)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--muted)' },
])

/** What every field for code does. Tab leaves it, as it leaves any field. */
export const baseOf = (label: string): Extension => [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  syntaxHighlighting(COLORS),
  EditorView.lineWrapping,
  // text that is only read can be scrolled by keys, too
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
  LOOKS,
]

/** Text with `{{ variables }}` and `{% tags %}`. */
const LIQUID = StreamLanguage.define<{ isInside: boolean }>({
  startState: () => ({ isInside: false }),
  token: (stream, state) => {
    if (!state.isInside && stream.match(/^\{[{%]/)) {
      state.isInside = true
      return 'keyword'
    }
    if (state.isInside) {
      if (stream.match(/^[}%]\}/)) {
        state.isInside = false
        return 'keyword'
      }
      if (stream.match(/^(?:"[^"]*"|'[^']*')/)) return 'string'
      if (stream.match(/^[\w.]+/)) return 'variableName'
      stream.next()
      return null
    }
    while (!stream.eol() && !stream.match(/^\{[{%]/, false)) stream.next()
    return null
  },
})

/** Returns what belongs to a language: its colors, and what is wrong with it. */
export function languageOf(language: CodeProps['language']): Extension {
  if (language === 'liquid') return LIQUID
  const parse = jsonParseLinter()
  return [
    json(),
    // a program writes it from left to right, whatever the page does
    EditorView.editorAttributes.of({ dir: 'ltr' }),
    linter((view) =>
      view.state.doc.length === 0
        ? []
        : parse(view).map((found) => ({ ...found, message: t('parts.code.json') })),
    ),
  ]
}

/** Offers names after two opening braces. */
export function completionOf(variables: readonly Variable[]): Extension {
  const options: Completion[] = variables.map(({ name, hint }) => ({
    label: name,
    type: 'variable',
    ...(hint === undefined ? {} : { detail: hint }),
  }))
  const source = (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/\{\{\s*[\w.]*/)
    if (!before) return null
    const word = context.matchBefore(/[\w.]*/)
    return { from: word?.from ?? context.pos, options, validFor: /^[\w.]*$/ }
  }
  return autocompletion({ override: [source], icons: false })
}

/** Marks what the server found wrong at its lines. */
export function showProblems(view: EditorView, problems: readonly CodeProblem[]): void {
  const { doc } = view.state
  const marks = problems.map(({ line, message }): Diagnostic => {
    const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
    return { from, to, severity: 'error', message }
  })
  view.dispatch(setDiagnostics(view.state, marks))
}
