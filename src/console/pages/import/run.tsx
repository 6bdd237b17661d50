import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'

import { call, type Route } from '../../api/client'
import { saveFile } from '../../api/save-file'
import { useCan } from '../../live/me'
import { keyOf, useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Draft } from './draft'
import { FirstRows, Problems } from './rows'
import type { Import } from './state'

/** An import from its check to its report. Everything about it is on the server. */
export function ImportRun() {
  const { importId } = useParams({ from: '/contacts/import/$importId' })
  const mayRead = useCan('contacts:import')
  const result = useApi('GET /api/imports/{id}', { params: { id: importId } }, mayRead)
  if (result.data?.status === 'draft') return <Draft one={result.data} />
  return (
    <Page title={result.data?.filename ?? t('import.title')}>
      <Guarded needs="contacts:import">
        <Loaded result={result}>{(one) => <Run one={one} />}</Loaded>
      </Guarded>
    </Page>
  )
}

type Verb = 'commit' | 'cancel' | 'undo'

/** Returns how an import is steered; the page shows what became of it. */
function useSteer({ id }: Import): (verb: Verb) => void {
  const client = useQueryClient()
  return (verb) => {
    const params = { id }
    call(`POST /api/imports/{id}/${verb}` as Route & 'POST /api/imports/{id}/commit', { params })
      .then((changed) => {
        client.setQueryData(keyOf('GET /api/imports/{id}', { params }), changed)
      })
      .catch(report)
  }
}

/** What is done with the file now. */
function titleOf({ filename: name, status, dry_run: isCheck, finished_at: end }: Import): string {
  if (status === 'queued' || status === 'running') {
    if (end !== null) return t('import.run.undoing', { name })
    return t(isCheck ? 'import.run.checking' : 'import.run.importing', { name })
  }
  return t(isCheck ? 'import.check.ready' : 'import.report.done')
}

function Run({ one }: { one: Import }) {
  const steer = useSteer(one)
  const navigate = useNavigate()
  const { status, rows_done: done, rows_total: total, error, failed } = one
  const isRunning = status === 'queued' || status === 'running'
  const counts = (['created', 'updated', 'skipped', 'failed'] as const).map((name) => ({
    label: t(`import.count.${name}`),
    count: one[name],
  }))
  return (
    <div className="import-run">
      <Progress
        label={titleOf(one)}
        done={done}
        total={total}
        state={isRunning ? 'running' : status === 'failed' ? 'failed' : 'done'}
        counts={counts}
        {...(error === null ? {} : { error: error.message })}
        {...(one.finished_at === null
          ? {
              onCancel: () => {
                steer('cancel')
              },
            }
          : {})}
        onBackground={() => {
          navigate({ to: '/contacts', search: {} }).catch(report)
        }}
      >
        {status === 'undone' && <p>{t('import.report.undone')}</p>}
        {status === 'cancelled' && <p>{t('import.report.cancelled')}</p>}
        {canUndo(one) && <p className="muted small">{t('import.undo-hint')}</p>}
        <footer className="actions">
          <Next one={one} onSteer={steer} />
        </footer>
      </Progress>
      {!isRunning && failed > 0 && <Problems one={one} />}
      {!isRunning && one.dry_run && <FirstRows importId={one.id} />}
    </div>
  )
}

const hasEnded = ({ status }: Import): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed'

const canUndo = (one: Import): boolean =>
  !one.dry_run && hasEnded(one) && one.created + one.updated > 0

/** What can be done after a check, or after an import. */
function Next({ one, onSteer }: { one: Import; onSteer: (verb: Verb) => void }) {
  const { id, status, dry_run: isCheck, failed } = one
  const count = one.created + one.updated
  return (
    <>
      {isCheck && failed > 0 && (
        <Button
          icon="download"
          onPress={() => {
            const wish = { params: { id } }
            saveFile('GET /api/imports/{id}/failed-rows', wish, 'failed.csv').catch(report)
          }}
        >
          {t('import.failed')}
        </Button>
      )}
      <Link className="button plain" to="/contacts/import">
        {t('import.again')}
      </Link>
      {isCheck && status === 'completed' && <Correct one={one} />}
      {isCheck && status === 'completed' && count > 0 && (
        <Button
          look="primary"
          onPress={() => {
            onSteer('commit')
          }}
        >
          {t('import.commit', { count })}
        </Button>
      )}
      {canUndo(one) && (
        <Button
          onPress={() => {
            onSteer('undo')
          }}
        >
          {t('import.undo')}
        </Button>
      )}
      {!isCheck && hasEnded(one) && (
        <Link className="button primary" to="/contacts" search={{}}>
          {t('import.show')}
        </Link>
      )}
    </>
  )
}

/** Leads from a check back to the columns: the file lies on the server. */
function Correct({ one: { id, update_on_duplicate: updates } }: { one: Import }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const correct = async (): Promise<void> => {
    const params = { id }
    // any change makes a checked import a draft again
    const body = { update_on_duplicate: updates }
    const draft = await call('PUT /api/imports/{id}', { params, body })
    await navigate({ to: '.', search: { step: 'columns' } })
    client.setQueryData(keyOf('GET /api/imports/{id}', { params }), draft)
  }
  return (
    <Button
      onPress={() => {
        correct().catch(report)
      }}
    >
      {t('import.correct')}
    </Button>
  )
}
