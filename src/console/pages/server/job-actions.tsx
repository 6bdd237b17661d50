import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { FormDialog } from '../../parts/form-dialog'
import { TextField, textOf } from '../../parts/field'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { canDiscard, canRetry, type KnownJob } from './rules'
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
  const [job, setJob] = useState<KnownJob | null>(null)
  const run = (work: Promise<unknown>, told: string): void => {
    work
      .then(() => {
        notify(told)
        return changed()
      })
      .catch(report)
  }
  const retry = ({ id, kind }: KnownJob): void => {
    run(
      call('POST /api/jobs/{id}/retry', { params: { id } }),
      t('server.job.retried', { name: nameOfJob(kind) }),
    )
  }
  const dismiss = ({ id }: KnownJob): void => {
    const body = { id, all: true }
    run(call('POST /api/jobs/dismiss', { body }), t('server.failed.removed', { count: 1 }))
  }
  return {
    ...{ retry, dismiss, discard: setJob },
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
                setJob(one)
              }}
            />
          )}
        </>
      ),
    asked: job && (
      <DiscardDialog
        job={job}
        onClose={() => {
          setJob(null)
        }}
      />
    ),
  }
}

/** Asks, with the name of the work, whether it is given up. */
function DiscardDialog({ job, onClose }: { job: KnownJob; onClose: () => void }) {
  const changed = useJobsChanged()
  const mayDiscard = useCan('jobs:retry')
  return (
    <FormDialog
      title={t('server.job.discard-title', { name: nameOfJob(job.kind) })}
      submit={t('server.job.discard-action')}
      isDisabled={!mayDiscard}
      onClose={onClose}
      onSave={async (data) => {
        const reason = textOf(data, 'reason').trim()
        const body = reason === '' ? {} : { reason }
        await call('POST /api/jobs/{id}/discard', { params: { id: job.id }, body })
        await changed()
      }}
    >
      <p>{t('server.job.discard-hint')}</p>
      <TextField name="reason" label={t('server.job.reason')} maxLength={500} autoFocus />
    </FormDialog>
  )
}
