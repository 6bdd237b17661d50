import { Link } from '@tanstack/react-router'

import type { Flow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { AddressField } from '../../parts/address-field'
import { CodeEditor } from '../../parts/code/code-field'
import type { Draft } from '../../parts/draft'
import { HeadersField } from '../../parts/headers-field'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import type { Values } from './values'

const MODES = ['none', 'rules', 'http'] as const

/** Whether WhatsApp has the key of the form's number, without which the form cannot ask. */
function Key({ accountId }: { accountId: string }) {
  const mayRead = useCan('accounts:read')
  const key = useApi('GET /api/accounts/{id}/flow-key', { params: { id: accountId } }, mayRead).data
  if (!key) return null
  const state =
    key.public_key === null ? 'none' : key.signature_status === 'MISMATCH' ? 'bad' : 'good'
  return (
    <p className={state === 'good' ? 'muted' : 'banner'}>
      {t(`forms.key.${state}`)}{' '}
      <Link
        to="/settings/numbers/$numberId/connection"
        params={{ numberId: accountId }}
        search={{}}
      >
        {t('forms.key.open')}
      </Link>
    </p>
  )
}

/** Who answers while a form is filled in, and whether it can. */
export function Endpoint({ form, draft: { value, set } }: { form: Flow; draft: Draft<Values> }) {
  return (
    <Section title={t('forms.endpoint')} hint={t('forms.endpoint-hint')}>
      <div className="form">
        <Select
          name="endpoint_mode"
          label={t('forms.mode')}
          choices={MODES.map((id) => ({ id, label: t(`forms.mode.${id}`) }))}
          value={value.mode}
          onChange={(mode) => {
            set({ mode })
          }}
        />
        {value.mode !== 'none' && <Key accountId={form.account_id} />}
        {value.mode === 'rules' && (
          <CodeEditor
            label={t('forms.rules')}
            hint={t('forms.rules-hint')}
            language="json"
            value={value.rules}
            onChange={(rules) => {
              set({ rules })
            }}
          />
        )}
        {value.mode === 'http' && (
          <>
            <AddressField
              name="endpoint_config.url"
              label={t('forms.url')}
              value={value.url}
              onChange={(url) => {
                set({ url })
              }}
            />
            <HeadersField
              path="endpoint_config.headers"
              headers={value.headers}
              onChange={(headers) => {
                set({ headers })
              }}
            />
          </>
        )}
      </div>
    </Section>
  )
}
