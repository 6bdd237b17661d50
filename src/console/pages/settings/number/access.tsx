import type { Account } from '../../../api/shapes'
import type { Draft } from '../../../parts/draft'
import { PasswordField, TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import type { Merge } from '../../../parts/merge'

/** Secrets of a number. They are never shown: what stays empty is not changed. */
const SECRETS = ['access_token', 'app_secret', 'webhook_verify_token', 'pin'] as const

/** What the part about the connection changes. */
export type Access = Record<(typeof SECRETS)[number], string> &
  Pick<Account, 'api_version' | 'updated_at'> & { app_id: string; messaging_account_id: string }

const storedOf = (account: Account) => ({
  api_version: account.api_version,
  app_id: account.app_id ?? '',
  messaging_account_id: account.messaging_account_id ?? '',
  updated_at: account.updated_at,
})

/** Returns how a number is connected, without its secrets. */
export const accessOf = (account: Account): Access => ({
  access_token: '',
  app_secret: '',
  webhook_verify_token: '',
  pin: '',
  ...storedOf(account),
})

const TEXTS = {
  access_token: 'settings.numbers.token',
  app_secret: 'settings.numbers.app-secret',
  webhook_verify_token: 'settings.numbers.receive.token',
  pin: 'number.pin',
  api_version: 'settings.numbers.version',
  app_id: 'number.app-id',
  messaging_account_id: 'settings.numbers.payer',
  updated_at: 'settings.field.name',
} as const satisfies Record<keyof Access, string>

/** How the page shows what somebody else saved meanwhile. */
export const MERGE: Merge<Access> = {
  read: (present) => storedOf(present as Account),
  label: (field) => t(TEXTS[field]),
}

/** Returns the changes as the API takes them: an optional ID that was emptied is cleared. */
export const bodyOf = ({
  app_id: app,
  messaging_account_id: payer,
  ...changes
}: Partial<Access>) => ({
  ...changes,
  ...(app === undefined ? {} : { app_id: app.trim() || null }),
  ...(payer === undefined ? {} : { messaging_account_id: payer.trim() || null }),
})

/** The values with which this server speaks with WhatsApp. */
export function AccessFields({ draft: { value, set } }: { draft: Draft<Access> }) {
  return (
    <Section title={t('number.access')} hint={t('number.access-hint')}>
      <div className="form">
        {SECRETS.map((name) => (
          <PasswordField
            key={name}
            name={name}
            label={t(TEXTS[name])}
            hint={t('settings.numbers.unchanged')}
            autoComplete="off"
            value={value[name]}
            onChange={(text) => {
              set({ [name]: text.trim() })
            }}
          />
        ))}
        <TextField
          name="app_id"
          label={t('number.app-id')}
          hint={t('number.app-id-hint')}
          inputMode="numeric"
          value={value.app_id}
          onChange={(id) => {
            set({ app_id: id })
          }}
        />
        <TextField
          name="messaging_account_id"
          label={t('settings.numbers.payer')}
          hint={t('settings.numbers.payer-hint')}
          inputMode="numeric"
          value={value.messaging_account_id}
          onChange={(id) => {
            set({ messaging_account_id: id })
          }}
        />
        <TextField
          name="api_version"
          label={t('settings.numbers.version')}
          isRequired
          value={value.api_version}
          onChange={(version) => {
            set({ api_version: version.trim() })
          }}
        />
      </div>
    </Section>
  )
}
