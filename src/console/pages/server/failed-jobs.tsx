import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { TypedDialog } from './typed-dialog'
import { useJobsChanged } from './use-jobs'
import { nameOfJob, reasonOfJob } from './words'

type Kind = Data<'GET /api/jobs/kinds'>['items'][number]

/** Work that was given up, by kind: why, and what can be done about it. Nothing if there is none. */
export function FailedJobs() {
  const query = { state: 'discarded', all: true } as const
  const result = useApi('GET /api/jobs/kinds', { query }, useCan('jobs:read'))
  if (result.data?.items.length === 0) return null
  return (
    <Section title={t('server.failed.title')} hint={t('server.failed.hint')}>
      <Loaded result={result} rows={1}>
        {({ items }) => (
          <div className="failed-kinds">
            <ItemList label={t('server.failed.title')}>
              {items.map((kind) => (
                <FailedKind key={kind.kind} kind={kind} />
              ))}
            </ItemList>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function FailedKind({ kind: { kind, count, last_error: error, last_at: at } }: { kind: Kind }) {
  const [isAsked, setAsked] = useState(false)
  const changed = useJobsChanged()
  const mayRetry = useCan('jobs:retry')
  const name = nameOfJob(kind)
  const retry = (): void => {
    call('POST /api/jobs/retry', { body: { kind, all: true } })
      .then(({ count: retried }) => {
        notify(t('server.failed.retried', { count: retried }))
        return changed()
      })
      .catch(report)
  }
  const dismiss = async (): Promise<void> => {
    const { count: removed } = await call('POST /api/jobs/dismiss', { body: { kind, all: true } })
    notify(t('server.failed.removed', { count: removed }))
    await changed()
  }
  return (
    <Item
      name={name}
      link={
        <Link to="/server/jobs" search={{ state: 'discarded', kind }}>
          {name}
        </Link>
      }
      badge={<span className="chip danger">{t('server.failed.count', { count })}</span>}
      hint={
        <>
          <span dir="auto">{reasonOfJob(error)}</span>
          {at !== null && <time dateTime={at}>{formatDateTime(at)}</time>}
        </>
      }
      actions={
        mayRetry && (
          <div className="setup-actions">
            <Button
              look="quiet"
              onPress={() => {
                setAsked(true)
              }}
            >
              {t('server.failed.remove')}
            </Button>
            <Button icon="refresh" onPress={retry}>
              {t('server.failed.retry')}
            </Button>
            {isAsked && (
              <TypedDialog
                title={t('server.failed.remove-title', { name, count })}
                text={t('server.failed.remove-hint')}
                action={t('server.failed.remove-action', { count })}
                name={name}
                onConfirm={dismiss}
                onClose={() => {
                  setAsked(false)
                }}
              />
            )}
          </div>
        )
      }
    />
  )
}
