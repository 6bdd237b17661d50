import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Account } from '../../api/shapes'
import { Switch } from '../../parts/choice'
import { PasswordField, TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { GuideLink } from '../../parts/guide-link'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useRefresh } from './use-refresh'

/** Returns the fields that were filled in; a secret that stays empty is not changed. */
const filled = (data: FormData, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [name, textOf(data, name).trim()]).filter(([, value]) => value !== ''),
  )

/** What is only seldom changed. The platform is asked about a number again when its version changes. */
const seldomChanges = (account: Account, data: FormData) => {
  const version = textOf(data, 'api_version').trim()
  const payer = textOf(data, 'messaging_account_id').trim() || null
  return {
    ...(version === account.api_version ? {} : { api_version: version }),
    ...(payer === account.messaging_account_id ? {} : { messaging_account_id: payer }),
  }
}

const WhereToLook = () => (
  <p className="muted">
    {t('settings.numbers.where')} <GuideLink href="/docs/meta" />
  </p>
)

/**
 * The window in which a phone number is connected by hand, or changed. The server asks the platform
 * whether number and token belong together.
 */
export function NumberDialog({
  account,
  onConnected,
  onClose,
}: {
  account: Account | null
  /** Called with a new number. */
  onConnected?: (account: Account) => void
  onClose: () => void
}) {
  const [hasReceipts, setReceipts] = useState(account?.auto_read_receipt ?? false)
  const refresh = useRefresh('GET /api/accounts')
  const save = async (data: FormData): Promise<void> => {
    const secrets = filled(data, ['access_token', 'app_secret'])
    const common = {
      ...secrets,
      name: textOf(data, 'name'),
      auto_read_receipt: hasReceipts,
    }
    const saved = await (account
      ? call('PUT /api/accounts/{id}', {
          params: { id: account.id },
          body: { ...common, ...seldomChanges(account, data) },
        })
      : callOnce('POST /api/accounts', {
          body: {
            ...common,
            access_token: textOf(data, 'access_token').trim(),
            phone_id: textOf(data, 'phone_id').trim(),
            business_id: textOf(data, 'business_id').trim(),
          },
        }))
    await refresh()
    notify(t(account ? 'settings.state.saved' : 'settings.numbers.connected'))
    if (!account) onConnected?.(saved)
  }
  return (
    <FormDialog
      title={t(account ? 'settings.numbers.edit' : 'settings.numbers.add')}
      submit={t(account ? 'settings.action.save' : 'settings.numbers.connect')}
      size="medium"
      onClose={onClose}
      onSave={save}
    >
      {!account && <WhereToLook />}
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={account?.name ?? ''}
        isRequired
        maxLength={100}
        autoFocus
      />
      {!account && <Ids />}
      <Secrets isNew={!account} />
      {account && (
        <>
          <TextField
            name="api_version"
            label={t('settings.numbers.version')}
            defaultValue={account.api_version}
            isRequired
          />
          <TextField
            name="messaging_account_id"
            label={t('settings.numbers.payer')}
            hint={t('settings.numbers.payer-hint')}
            defaultValue={account.messaging_account_id ?? ''}
            inputMode="numeric"
          />
        </>
      )}
      <Switch isSelected={hasReceipts} onChange={setReceipts}>
        {t('settings.numbers.receipts')}
      </Switch>
    </FormDialog>
  )
}

/** The platform's IDs of a number. */
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

/** Token and app secret of a number. They are never shown again. */
const Secrets = ({ isNew }: { isNew: boolean }) => (
  <>
    <PasswordField
      name="access_token"
      label={t('settings.numbers.token')}
      isRequired={isNew}
      autoComplete="off"
      {...(isNew ? {} : { hint: t('settings.numbers.unchanged') })}
    />
    <PasswordField
      name="app_secret"
      label={t('settings.numbers.app-secret')}
      hint={t(isNew ? 'settings.numbers.app-secret-hint' : 'settings.numbers.unchanged')}
      autoComplete="off"
      minLength={8}
    />
  </>
)
