import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import { ApiError } from '../../api/error'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { sentenceOf, Trouble } from '../../parts/state'
import { report } from '../../parts/toast'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { Conflicts } from './conflicts'
import { Facts } from './facts'
import { useFresh } from './fresh'
import { ImportState, nameOfImport } from './imports'
import { canCommit, type OrganizationImport } from './rules'
import { TypedDialog } from './typed-dialog'
import { importError } from './words'
import { useRefresh } from '../../live/use-refresh'

interface Props {
  shown: OrganizationImport
}

const ROUTES = [
  'GET /api/admin/organizations/imports',
  'GET /api/admin/organizations/imports/{id}',
  'GET /api/organizations',
] as const
/** One import of an organization: what was found in the archive, and the way on or back. */
export function ImportPage() {
  const { importId = '' } = useParams({ strict: false })
  const wish = { params: { id: importId } }
  const result = useApi('GET /api/admin/organizations/imports/{id}', wish)
  return (
    <Page
      title={result.data ? nameOfImport(result.data) : t('server.imports.title')}
      tabs={
        <p className="crumb">
          <Link to="/server/imports" search={{}}>
            {t('server.imports.title')}
          </Link>
        </p>
      }
      actions={result.data && <Actions shown={result.data} />}
    >
      <Loaded result={result}>
        {(shown) => (
          <>
            <p className="import-state">
              <ImportState state={shown.state} />{' '}
              <span className="muted">{t(`server.import-state.${shown.state}-hint`)}</span>
            </p>
            {shown.error && <Failure error={shown.error} />}
            <Course shown={shown} />
            <Conflicts shown={shown} />
            <Counts shown={shown} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Why an import failed, and the place in the archive if it lies there. */
const Failure = ({ error }: { error: NonNullable<OrganizationImport['error']> }) => (
  <>
    <Trouble>{sentenceOf(importError(new ApiError(400, error.code, error.message)))}</Trouble>
    {error.file !== undefined && (
      <p className="muted small" dir="auto">
        {t('server.error.other', { error: error.message })}
      </p>
    )}
  </>
)

/** How far it is, while it is under way. */
function Course({ shown: { state, rows_done: done, rows_total: total } }: Props) {
  if (state !== 'checking' && state !== 'running' && state !== 'waiting') return null
  return (
    <Progress
      label={t(`server.import-state.${state}`)}
      done={done}
      total={state === 'checking' ? null : total}
      state="running"
    />
  )
}

function Actions({ shown }: Props) {
  const { id, state, organization } = shown
  const changed = useRefresh(...ROUTES)
  const fresh = useFresh()
  const [isAsked, setAsked] = useState(false)
  const name = nameOfImport(shown)
  const params = { id }
  if (state === 'completed' && organization !== null)
    return (
      <Link
        className="button primary"
        to="/server/organizations/$organizationId"
        params={{ organizationId: organization.id }}
        search={{}}
      >
        {t('parts.action.open')}
      </Link>
    )
  if (!['checking', 'checked', 'running'].includes(state)) return null
  return (
    <>
      <Button
        icon="stop"
        onPress={() => {
          setAsked(true)
        }}
      >
        {t('server.imports.cancel')}
      </Button>
      {canCommit(shown) && (
        <Button
          look="primary"
          onPress={() => {
            fresh
              .run(() => call('POST /api/admin/organizations/imports/{id}/commit', { params }))
              .then(changed)
              .catch((error: unknown) => {
                report(importError(error))
              })
          }}
        >
          {t('server.imports.commit', { name })}
        </Button>
      )}
      {fresh.dialog}
      {isAsked && (
        <TypedDialog
          title={t('server.imports.cancel-title', { name })}
          text={t('server.imports.cancel-hint')}
          action={t('server.imports.cancel-action')}
          name={name}
          onConfirm={() =>
            call('POST /api/admin/organizations/imports/{id}/cancel', { params }).then(changed)
          }
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </>
  )
}

/** What is in the archive. */
function Counts({ shown }: Props) {
  const { organization, filename, counts, rows_total: rows, created_at: at } = shown
  const of = (table: string): string | null => {
    const count = counts[table]
    return count === undefined ? null : formatNumber(count)
  }
  return (
    <Facts
      title={t('server.imports.contents')}
      facts={[
        [t('server.imports.organization'), organization?.name ?? null],
        [t('server.imports.file'), filename],
        [t('server.imports.checked-at'), formatDateTime(at)],
        [t('server.imports.rows'), formatNumber(rows)],
        [t('server.imports.contacts'), of('contacts')],
        [t('server.imports.conversations'), of('conversations')],
        [t('server.imports.messages'), of('messages')],
        [t('server.imports.numbers'), of('accounts')],
        [t('server.imports.people'), of('memberships')],
        [t('server.imports.files'), of('media')],
      ]}
    />
  )
}
