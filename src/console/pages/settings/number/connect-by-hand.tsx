import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Account } from '../../../api/shapes'
import { Switch } from '../../../parts/choice'
import { PasswordField, TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { GuideLink } from '../../../parts/guide-link'
import { notify } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

const WhereToLook = () => (
  <p className="muted">
    {t('settings.numbers.where')} <GuideLink href="/docs/meta" />
  </p>
)

/**
 * The window in which a phone number is connected by hand. The server asks WhatsApp whether number
 * and token belong together.
 */
export function ConnectByHand({
  onConnected,
  onClose,
}: {
  /** Called with the new number. */
  onConnected?: ((account: Account) => void) | undefined
  onClose: () => void
}) {
  const [hasReceipts, setReceipts] = useState(false)
  const refresh = useRefresh('GET /api/accounts')
  const save = async (data: FormData): Promise<void> => {
    const secret = textOf(data, 'app_secret').trim()
    const saved = await callOnce('POST /api/accounts', {
      body: {
        name: textOf(data, 'name'),
        auto_read_receipt: hasReceipts,
        access_token: textOf(data, 'access_token').trim(),
        phone_id: textOf(data, 'phone_id').trim(),
        business_id: textOf(data, 'business_id').trim(),
        ...(secret === '' ? {} : { app_secret: secret }),
      },
    })
    await refresh()
    notify(t('settings.numbers.connected'))
    onConnected?.(saved)
  }
  return (
    <FormDialog
      title={t('settings.numbers.add')}
      submit={t('settings.numbers.connect')}
      size="medium"
      onClose={onClose}
      onSave={save}
    >
      <WhereToLook />
      <TextField
        name="name"
        label={t('settings.field.name')}
        isRequired
        maxLength={100}
        autoFocus
      />
      <Ids />
      <PasswordField
        name="access_token"
        label={t('settings.numbers.token')}
        isRequired
        autoComplete="off"
      />
      <PasswordField
        name="app_secret"
        label={t('settings.numbers.app-secret')}
        hint={t('settings.numbers.app-secret-hint')}
        autoComplete="off"
        minLength={8}
      />
      <Switch isSelected={hasReceipts} onChange={setReceipts}>
        {t('settings.numbers.receipts')}
      </Switch>
    </FormDialog>
  )
}

/** WhatsApp's IDs of a number. */
const Ids = () => (
  <>
    {(['phone', 'business'] as const).map((kind) => (
      <TextField
        key={kind}
        name={`${kind}_id`}
        label={t(`settings.numbers.${kind}-id`)}
        inputMode="numeric"
        isRequired
      />
    ))}
  </>
)
