import { Suspense } from 'react'

import pagesStyle from '../../styles/late/pages.css'
import { styled } from '../styled'
import { late } from '../late'

/** Something wrong in a text, and the line it is in, from 1. */
export interface CodeProblem {
  line: number
  message: string
}

/** A name that can be written between two braces. */
export interface Variable {
  name: string
  hint?: string
}

/** What a field for code needs. */
export interface CodeProps {
  label: string
  /** Whether a heading above it already says the label. */
  isTitled?: boolean
  hint?: string
  language: 'json' | 'liquid'
  value: string
  onChange: (text: string) => void
  /** What the server found wrong; JSON that cannot be read is marked by itself. */
  problems?: readonly CodeProblem[]
  /** Names that are offered after two opening braces. */
  variables?: readonly Variable[]
  isReadOnly?: boolean
}

const load = styled(() => import('./code-editor'), pagesStyle)
const CodeMirror = late(async () => (await load()).CodeMirror)

/**
 * A field for JSON, or for text with variables such as a prompt: with numbers of lines, what is wrong
 * at its line, and names that complete themselves. Its code is loaded when one is shown.
 */
export function CodeEditor(props: CodeProps) {
  return (
    <Suspense
      fallback={
        <div className="field" aria-busy="true">
          {props.isTitled !== true && <span className="react-aria-Label">{props.label}</span>}
          <textarea rows={8} value={props.value} aria-label={props.label} readOnly />
        </div>
      }
    >
      <CodeMirror {...props} />
    </Suspense>
  )
}
