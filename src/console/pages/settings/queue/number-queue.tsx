import { useState } from 'react'

import { call } from '../../../api/client'
import type { OutboxStats } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { Confirm, typedFor } from '../../../parts/dialog'
import { TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Section } from '../../../parts/page'
import { notify, report } from '../../../parts/toast'
import { formatDuration, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'

interface Props {
  stats: OutboxStats
  name: string
}

/** Messages that can still be cancelled: those that WhatsApp may have are not among them. */
const waitingIn = ({ queued, held, retry_wait: retry }: OutboxStats): number =>
  queued + held + retry

/** What is asked before it is done. */
type Asked = 'pause' | 'cancel'

const ROUTES = ['GET /api/outbox/stats', 'GET /api/outbox', 'GET /api/accounts'] as const

/** Why a number sends nothing, and what can be done with its queue. */
function Buttons({ stats, onOpen }: { stats: OutboxStats; onOpen: (asked: Asked) => void }) {
  const { account_id: account, held_reason: reason } = stats
  const refresh = useRefresh(...ROUTES)
  const mayPause = useCan('accounts:update')
  const mayCancel = useCan('jobs:retry')
  return (
    <div className="setup-actions">
      {reason !== null && <span className="chip warn">{t(`queue.held.${reason}`)}</span>}
      {mayPause && reason !== 'paused_by_person' && (
        <Button
          icon="pause"
          onPress={() => {
            onOpen('pause')
          }}
        >
          {t('queue.pause')}
        </Button>
      )}
      {mayPause && reason === 'paused_by_person' && (
        <Button
          icon="play"
          onPress={() => {
            call('POST /api/outbox/resume', { body: { account_id: account } })
              .then(refresh)
              .catch(report)
          }}
        >
          {t('queue.resume')}
        </Button>
      )}
      {mayCancel && waitingIn(stats) > 0 && (
        <Button
          icon="stop"
          onPress={() => {
            onOpen('cancel')
          }}
        >
          {t('queue.cancel')}
        </Button>
      )}
    </div>
  )
}

/** The send queue of one number. */
export function NumberQueue({ stats, name }: Props) {
  const { account_id: account, oldest_age_ms: oldest } = stats
  const [opened, setOpened] = useState<Asked | null>(null)
  const refresh = useRefresh(...ROUTES)
  const waiting = waitingIn(stats)
  const close = (): void => {
    setOpened(null)
  }
  return (
    <Section title={name} actions={<Buttons stats={stats} onOpen={setOpened} />}>
      <Facts
        facts={[
          [t('queue.fact.queued'), formatNumber(stats.queued)],
          [t('queue.fact.held'), formatNumber(stats.held)],
          [t('queue.fact.retry'), formatNumber(stats.retry_wait)],
          [t('queue.fact.ambiguous'), formatNumber(stats.ambiguous)],
          [t('queue.fact.oldest'), oldest === null ? null : formatDuration(oldest)],
          [
            t('queue.fact.rate'),
            t('queue.rate', {
              now: formatNumber(stats.rate_now),
              most: formatNumber(stats.rate_limit),
            }),
          ],
        ]}
      />
      {opened === 'pause' && <PauseDialog {...{ account, name }} onClose={close} />}
      {opened === 'cancel' && (
        <Confirm
          isOpen
          title={t('queue.cancel-title', { count: waiting })}
          text={t('queue.cancel-hint', { name })}
          action={t('queue.cancel-action', { count: waiting })}
          typed={typedFor(waiting)}
          onConfirm={() => {
            call('POST /api/outbox/cancel', { body: { account_id: account } })
              .then(({ cancelled }) => {
                notify(t('queue.cancelled', { count: cancelled }))
                return refresh()
              })
              .catch(report)
          }}
          onClose={close}
        />
      )}
    </Section>
  )
}

/** Asks before a number stops sending, and why, for the audit log. */
function PauseDialog({
  account,
  name,
  onClose,
}: {
  account: string
  name: string
  onClose: () => void
}) {
  const refresh = useRefresh(...ROUTES)
  return (
    <FormDialog
      title={t('queue.pause-title', { name })}
      submit={t('queue.pause')}
      onClose={onClose}
      onSave={async (data) => {
        const reason = textOf(data, 'reason').trim()
        const body = { account_id: account, ...(reason === '' ? {} : { reason }) }
        await call('POST /api/outbox/pause', { body })
        await refresh()
      }}
    >
      <p>{t('queue.pause-hint')}</p>
      <TextField name="reason" label={t('queue.reason')} maxLength={255} autoFocus />
    </FormDialog>
  )
}
