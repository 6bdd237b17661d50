import { Annotation, Compartment, EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'

import { t } from '../../texts/texts'
import type { CodeProblem, CodeProps } from './code-field'
import { baseOf, completionOf, languageOf, showProblems } from './setup'

/** Marks what was changed from outside, which is no change by the person. */
const FromOutside = Annotation.define<boolean>()

const changing = { completion: new Compartment(), readOnly: new Compartment() }

/**
 * The code of `CodeEditor`. It lives in a shadow root, whose styles are objects: the policy of the
 * page allows no style elements.
 */
export function CodeMirror(props: CodeProps) {
  const { label, hint, language, value, problems = [], variables = [], isReadOnly = false } = props
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const host = box.current
    if (!host) return
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          baseOf(label),
          languageOf(language),
          changing.completion.of(completionOf(latest.current.variables ?? [])),
          changing.readOnly.of(EditorState.readOnly.of(latest.current.isReadOnly ?? false)),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((one) => one.annotation(FromOutside) === true)
            if (update.docChanged && !isOwn) latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [label, language])
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: FromOutside.of(true),
    })
  }, [value])
  const offered = JSON.stringify(variables)
  useEffect(() => {
    view.current?.dispatch({
      effects: [
        changing.completion.reconfigure(completionOf(latest.current.variables ?? [])),
        changing.readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)),
      ],
    })
  }, [offered, isReadOnly])
  const found = JSON.stringify(problems)
  useEffect(() => {
    if (view.current) showProblems(view.current, latest.current.problems ?? [])
  }, [found, value])
  return (
    <div className="field code-field">
      {props.isTitled !== true && <span className="react-aria-Label">{label}</span>}
      <div ref={box} className="code-box" />
      {hint !== undefined && <span slot="description">{hint}</span>}
      {problems.length > 0 && (
        <Problems
          problems={problems}
          onGo={(line) => {
            const editor = view.current
            if (!editor) return
            const { from } = editor.state.doc.line(Math.min(line, editor.state.doc.lines))
            editor.dispatch({ selection: { anchor: from }, scrollIntoView: true })
            editor.focus()
          }}
        />
      )}
    </div>
  )
}

interface ProblemsProps {
  problems: readonly CodeProblem[]
  /** Leads to a line. */
  onGo: (line: number) => void
}

/** What is wrong, below the text: each leads to its line. */
const Problems = ({ problems, onGo }: ProblemsProps) => (
  <div role="alert">
    <ul className="code-problems">
      {problems.map(({ line, message }) => (
        <li key={`${line} ${message}`}>
          <button
            type="button"
            onClick={() => {
              onGo(line)
            }}
          >
            {t('parts.code.line', { line, message })}
          </button>
        </li>
      ))}
    </ul>
  </div>
)
