import { useState, type ReactNode } from 'react'

import { TextField } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { t } from '../../texts/texts'

interface Props {
  title: string
  text: string
  action: string
  /** What has to be typed first. */
  name: string
  /** Does it; gets the fields of `children`. */
  onConfirm: (data: FormData) => Promise<unknown>
  onClose: () => void
  children?: ReactNode
}

/**
 * Asks before something is done that is final: the person types the name of what it is done to. The
 * server's pages ask in no other way, because all organizations share what they change.
 */
export function TypedDialog({ title, text, action, name, onConfirm, onClose, children }: Props) {
  const [written, setWritten] = useState('')
  return (
    <FormDialog
      title={title}
      submit={action}
      isDisabled={written.trim() !== name}
      onClose={onClose}
      onSave={onConfirm}
    >
      <p>{text}</p>
      <TextField
        label={t('server.typed.label', { name })}
        value={written}
        onChange={setWritten}
        autoFocus
        autoComplete="off"
      />
      {children}
    </FormDialog>
  )
}
