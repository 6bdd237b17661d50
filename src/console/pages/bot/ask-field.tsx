import { useState, type KeyboardEvent, type ReactNode } from 'react'

import { Button } from '../../parts/button'
import { TextField } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'

interface Props<T> {
  label: string
  placeholder?: string
  action: string
  /** Asks the server. */
  onAsk: (text: string) => Promise<T>
  /** Fields beside the question. */
  beside?: ReactNode
  /** What is shown of the answer. */
  children: (answer: T, text: string) => ReactNode
}

/** Longest question, characters. */
const LONGEST = 4_096

/**
 * A field for a question and what came of it. It is no form: it may stand in a form of the page,
 * which Enter must not save.
 */
export function AskField<T>({ label, placeholder, action, onAsk, beside, children }: Props<T>) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [answered, setAnswered] = useState<{ text: string; answer: T } | null>(null)
  const ask = (): void => {
    if (text.trim() === '' || isBusy) return
    setBusy(true)
    setError(null)
    onAsk(text)
      .then((answer) => {
        setAnswered({ text, answer })
      })
      .catch((problem: unknown) => {
        setAnswered(null)
        setError(problem)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    ask()
  }
  return (
    <>
      <div className="ask-fields">
        <TextField
          label={label}
          placeholder={placeholder ?? ''}
          value={text}
          maxLength={LONGEST}
          onChange={setText}
          onKeyDown={onKeyDown}
        />
        {beside}
        <Button isPending={isBusy} isDisabled={text.trim() === ''} onPress={ask}>
          {action}
        </Button>
      </div>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      <div role="status" className="ask-answer">
        {answered && children(answered.answer, answered.text)}
      </div>
    </>
  )
}
