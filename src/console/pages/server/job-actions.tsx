import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { TextField, textOf } from '../../parts/field'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { canDiscard, canRetry, type KnownJob } from './rules'
import { TypedDialog } from './typed-dialog'
import { nameOfJob } from './words'
import { useJobsChanged } from './use-jobs'

/** Returns what can be done with jobs: the items of a menu, and the window that asks before. */
export function useJobActions(): {
  retry: (job: KnownJob) => void
  dismiss: (job: KnownJob) => void
  discard: (job: KnownJob) => void
  menu: (job: KnownJob) => ReactNode
  asked: ReactNode
} {
  const mayRetry = useCan('jobs:retry')
  const changed = useJobsChanged()
  const [asked, setAsked] = useState<{ what: 'dismiss' | 'discard'; job: KnownJob } | null>(null)
  const dismiss = (job: KnownJob): void => {
    setAsked({ what: 'dismiss', job })
  }
  const discard = (job: KnownJob): void => {
    setAsked({ what: 'discard', job })
  }
  const retry = ({ id, kind }: KnownJob): void => {
    call('POST /api/jobs/{id}/retry', { params: { id } })
      .then(() => {
        notify(t('server.job.retried', { name: nameOfJob(kind) }))
        return changed()
      })
      .catch(report)
  }
  const close = (): void => {
    setAsked(null)
  }
  return {
    ...{ retry, dismiss, discard },
    menu: (one) =>
      mayRetry &&
      (canRetry(one) || canDiscard(one)) && (
        <>
          {canRetry(one) && (
            <MenuItem
              icon="refresh"
              label={t('server.failed.retry')}
              onAction={() => {
                retry(one)
              }}
            />
          )}
          {one.state === 'discarded' && (
            <MenuItem
              icon="close"
              label={t('server.failed.remove')}
              onAction={() => {
                dismiss(one)
              }}
            />
          )}
          {canDiscard(one) && (
            <MenuItem
              icon="stop"
              label={t('server.job.discard')}
              onAction={() => {
                discard(one)
              }}
            />
          )}
        </>
      ),
    asked:
      asked &&
      (asked.what === 'dismiss' ? (
        <DismissDialog job={asked.job} onClose={close} />
      ) : (
        <DiscardDialog job={asked.job} onClose={close} />
      )),
  }
}

interface DialogProps {
  job: KnownJob
  onClose: () => void
}

/** Asks, with the name of the work, whether a job that failed leaves the list. */
function DismissDialog({ job: { id, kind }, onClose }: DialogProps) {
  const changed = useJobsChanged()
  const name = nameOfJob(kind)
  return (
    <TypedDialog
      title={t('server.failed.remove-title', { name, count: 1 })}
      text={t('server.failed.remove-hint')}
      action={t('server.failed.remove-action', { count: 1 })}
      name={name}
      onClose={onClose}
      onConfirm={async () => {
        await call('POST /api/jobs/dismiss', { body: { id, all: true } })
        notify(t('server.failed.removed', { count: 1 }))
        await changed()
      }}
    />
  )
}

/** Asks, with the name of the work, whether it is given up. */
function DiscardDialog({ job: { id, kind }, onClose }: DialogProps) {
  const changed = useJobsChanged()
  const name = nameOfJob(kind)
  return (
    <TypedDialog
      title={t('server.job.discard-title', { name })}
      text={t('server.job.discard-hint')}
      action={t('server.job.discard-action')}
      name={name}
      onClose={onClose}
      onConfirm={async (data) => {
        const reason = textOf(data, 'reason').trim()
        const body = reason === '' ? {} : { reason }
        await call('POST /api/jobs/{id}/discard', { params: { id }, body })
        await changed()
      }}
    >
      <TextField name="reason" label={t('server.job.reason')} maxLength={500} />
    </TypedDialog>
  )
}
