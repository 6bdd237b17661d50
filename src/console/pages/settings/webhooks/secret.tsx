import { useState } from 'react'

import { call } from '../../../api/client'
import type { WebhookEndpointWithStats } from '../../../api/shapes'
import { Button } from '../../../parts/button'
import { Confirm } from '../../../parts/dialog'
import { NumberField, TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Section } from '../../../parts/page'
import { notify, report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { SecretDialog } from '../../../parts/secret-dialog'
import { useRefresh } from '../../../live/use-refresh'

interface Props {
  endpoint: WebhookEndpointWithStats
}

/** Hours for which the old secret goes on, unless somebody chooses others. */
const OVERLAP_HOURS = 24
const MOST_HOURS = 168

/** The secret with which requests are signed: a new one, and the end of the old one. */
export function Secret({ endpoint }: Props) {
  const [opened, setOpened] = useState<'rotate' | 'revoke' | null>(null)
  const refresh = useRefresh('GET /api/webhooks/{id}')
  const { id, previous_expires_at: until } = endpoint
  const close = (): void => {
    setOpened(null)
  }
  return (
    <Section title={t('webhooks.secret')} hint={t('webhooks.secret-hint')}>
      <div className="setup-actions">
        {until === null ? (
          <Button
            onPress={() => {
              setOpened('rotate')
            }}
          >
            {t('webhooks.secret.rotate')}
          </Button>
        ) : (
          <>
            <p className="grow">{t('webhooks.secret.both', { time: formatDateTime(until) })}</p>
            <Button
              onPress={() => {
                setOpened('revoke')
              }}
            >
              {t('webhooks.secret.revoke')}
            </Button>
          </>
        )}
      </div>
      {opened === 'rotate' && <RotateDialog id={id} onClose={close} />}
      {opened === 'revoke' && (
        <Confirm
          isOpen
          title={t('webhooks.secret.revoke-title')}
          text={t('webhooks.secret.revoke-hint')}
          action={t('webhooks.secret.revoke')}
          onClose={close}
          onConfirm={() => {
            call('POST /api/webhooks/{id}/revoke-secret', { params: { id }, body: {} })
              .then(() => {
                notify(t('webhooks.secret.revoked'))
                return refresh()
              })
              .catch(report)
          }}
        />
      )}
    </Section>
  )
}

function RotateDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [hours, setHours] = useState(OVERLAP_HOURS)
  const [made, setMade] = useState<string | null>(null)
  const refresh = useRefresh('GET /api/webhooks/{id}')
  if (made !== null)
    return (
      <SecretDialog
        title={t('webhooks.secret.new')}
        hint={t('webhooks.secret.new-hint')}
        secret={made}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={t('webhooks.secret.rotate')}
      submit={t('webhooks.secret.rotate')}
      size="medium"
      isKeptOpen
      onClose={onClose}
      onSave={async (data) => {
        const own = textOf(data, 'secret').trim()
        const body = { overlap_hours: hours, ...(own === '' ? {} : { secret: own }) }
        const { secret } = await call('POST /api/webhooks/{id}/rotate-secret', {
          params: { id },
          body,
        })
        setMade(secret)
        await refresh()
      }}
    >
      <NumberField
        name="overlap_hours"
        label={t('webhooks.secret.overlap')}
        hint={t('webhooks.secret.overlap-hint')}
        value={hours}
        range={[0, MOST_HOURS]}
        onChange={setHours}
      />
      <TextField
        name="secret"
        label={t('webhooks.secret.own')}
        hint={t('webhooks.secret.own-hint')}
        autoComplete="off"
        maxLength={128}
      />
    </FormDialog>
  )
}
