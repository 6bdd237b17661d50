import { useRef, useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { Button } from './button'
import { Dialog } from './dialog'
import { fieldErrors, Form } from './field'
import { sentenceOf, Trouble } from './state'
import { isAbort } from './toast'

interface Props {
  title: string
  /** The word on the button that saves. */
  submit: string
  size?: 'small' | 'medium' | 'large'
  /** Saves the fields. The window closes when it is done, and shows the error if it fails. */
  onSave: (data: FormData) => Promise<unknown>
  onClose: () => void
  /** Whether the caller shows something else after saving, instead of closing the window. */
  isKeptOpen?: boolean
  /** Whether there is nothing to save. */
  isDisabled?: boolean
  children: ReactNode
}

/** A form in a window over the page. Mount it to open it. */
export function FormDialog(props: Props) {
  const {
    title,
    submit,
    size = 'small',
    onSave,
    onClose,
    isKeptOpen = false,
    isDisabled = false,
    children,
  } = props
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  // Enter saves too, and may be pressed again before the page is drawn again
  const isSaving = useRef(false)
  const save = (data: FormData): void => {
    if (isSaving.current) return
    isSaving.current = true
    setBusy(true)
    setError(null)
    onSave(data)
      .then(() => {
        if (!isKeptOpen) onClose()
      })
      .catch((problem: unknown) => {
        isSaving.current = false
        setBusy(false)
        if (!isAbort(problem)) setError(problem)
      })
  }
  const marked = fieldErrors(error)
  const names = Object.keys(marked)
  const areMarked =
    names.length > 0 && names.every((name) => document.getElementsByName(name).length > 0)
  return (
    <Dialog title={title} size={size} isOpen onClose={onClose}>
      <Form onSubmit={save} validationErrors={marked}>
        {error !== null && (
          <Trouble>{areMarked ? t('parts.error.marked') : sentenceOf(error)}</Trouble>
        )}
        {children}
        <footer className="actions">
          <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
          <Button type="submit" look="primary" isPending={isBusy} isDisabled={isDisabled}>
            {submit}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
