import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { useCan, useMe } from '../../../live/me'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextField } from '../../../parts/field'
import { Guarded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { SecretDialog } from '../../../parts/secret-dialog'
import { useRefresh } from '../../../live/use-refresh'
import { EndpointFields } from './fields'
import { bodyOf, EMPTY } from './values'

/** What the page needs: it lists the events. */
const NEEDS = ['webhooks:read', 'webhooks:create'] as const

/** The page on which an endpoint is added. It ends with the secret, which is shown once. */
export function NewWebhook() {
  const canAdd = useCan(...NEEDS)
  return canAdd ? (
    <NewForm />
  ) : (
    <Page title={t('webhooks.add')}>
      <Guarded needs={NEEDS}>{null}</Guarded>
    </Page>
  )
}

function NewForm() {
  const navigate = useNavigate()
  const refresh = useRefresh('GET /api/webhooks')
  const masks = useMe().organization.settings.mask_phone_numbers
  const seesNumbers = useCan('contacts:unmask') || !masks
  const draft = useDraft({ ...EMPTY, include_phone_numbers: seesNumbers, secret: '' })
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null)
  const { value, set } = draft
  return (
    <>
      <EditPage
        title={t('webhooks.add')}
        hint={t('webhooks.hint')}
        draft={draft}
        isNew
        onSave={async () => {
          const { secret, ...values } = value
          const { name, url, events } = values
          const body = { ...bodyOf(values), name, url, events, ...(secret ? { secret } : {}) }
          setMade(await callOnce('POST /api/webhooks', { body }))
          await refresh()
        }}
      >
        <EndpointFields draft={draft} />
        <Section title={t('webhooks.secret')} hint={t('webhooks.secret-hint')}>
          <div className="form">
            <TextField
              name="secret"
              label={t('webhooks.secret.own')}
              hint={t('webhooks.secret.own-hint')}
              autoComplete="off"
              value={value.secret}
              onChange={(secret) => {
                set({ secret: secret.trim() })
              }}
              maxLength={128}
            />
          </div>
        </Section>
      </EditPage>
      {made && (
        <SecretDialog
          title={t('webhooks.secret.new')}
          hint={t('webhooks.secret.new-hint')}
          secret={made.secret}
          onClose={() => {
            navigate({
              to: '/settings/webhooks/$endpointId',
              params: { endpointId: made.id },
              search: {},
            }).catch(report)
          }}
        />
      )}
    </>
  )
}
