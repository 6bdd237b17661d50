import { useState } from 'react'

import { Button, IconButton } from './button'
import { Checkbox } from './choice'
import { copyText } from './copy'
import { Dialog } from './dialog'
import { t } from '../texts/texts'

interface Props {
  title: string
  hint: string
  secret: string
  /** What the person should know about it, as the server says it. */
  warnings?: readonly string[]
  onClose: () => void
}

/**
 * Shows a key or link that cannot be shown again. It closes only after the person confirmed that it
 * is stored.
 */
export function SecretDialog({ title, hint, secret, warnings = [], onClose }: Props) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title={title} size="medium" isOpen isDismissable={false} onClose={onClose}>
      <p>{hint}</p>
      <div className="secret">
        <code dir="ltr">{secret}</code>
        <IconButton
          icon="copy"
          label={t('settings.secret.copy')}
          onPress={() => {
            copyText(secret)
          }}
        />
      </div>
      {warnings.map((text) => (
        <p key={text} className="banner">
          {text}
        </p>
      ))}
      <Checkbox isSelected={isStored} onChange={setStored}>
        {t('settings.secret.stored')}
      </Checkbox>
      <footer className="actions">
        <Button look="primary" isDisabled={!isStored} onPress={onClose}>
          {t('settings.secret.done')}
        </Button>
      </footer>
    </Dialog>
  )
}
