import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Checkbox } from '../../parts/choice'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { Empty } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { Archives } from './archives'
import { enter } from './enter'
import { Facts } from './facts'
import { useFresh } from './fresh'
import { MoveSection } from './move-section'
import { OrganizationState, type ListedOrganization } from './organizations'
import { TypedDialog } from './typed-dialog'
import { useRefresh } from '../../live/use-refresh'

interface Props {
  organization: ListedOrganization
}

/** One organization: enter it, archive it, move it, delete it or restore it. */
export function OrganizationPage() {
  const { organizationId = '' } = useParams({ strict: false })
  const mayRead = useCan('organizations:read')
  const query = { all: true, id: organizationId }
  const result = useApi('GET /api/organizations', { query }, mayRead)
  const organization = result.data?.organizations[0]
  const navigate = useNavigate()
  return (
    <Page
      title={organization?.name ?? t('server.organizations.title')}
      tabs={
        <p className="crumb">
          <Link to="/server/organizations" search={{}}>
            {t('server.organizations.title')}
          </Link>
        </p>
      }
      actions={
        organization?.state === 'active' && (
          <Button
            look="primary"
            onPress={() => {
              enter(organizationId, () => navigate({ to: '/inbox', search: {} })).catch(report)
            }}
          >
            {t('server.organizations.enter')}
          </Button>
        )
      }
    >
      <Guarded needs="organizations:read">
        <Loaded result={result}>
          {({ organizations: [shown] }) =>
            shown === undefined ? (
              <Empty icon="building" title={t('server.organizations.gone')} />
            ) : (
              <>
                <OrganizationFacts organization={shown} />
                <Archives organizationId={shown.id} name={shown.name} />
                <MoveSection organization={shown} />
                <End organization={shown} />
              </>
            )
          }
        </Loaded>
      </Guarded>
    </Page>
  )
}

const OrganizationFacts = ({ organization }: Props) => {
  const { id, slug, created_at: at, deletes_at: deletes, moved_to: to } = organization
  return (
    <>
      <p>
        <OrganizationState organization={organization} />
      </p>
      <Facts
        title={t('server.job.facts')}
        facts={[
          [t('server.organizations.short'), slug],
          [t('server.organizations.id'), id],
          [t('server.organizations.created'), formatDateTime(at)],
          [t('server.organizations.ends'), deletes === undefined ? null : formatDateTime(deletes)],
          [t('server.organizations.works-at'), to ?? null],
        ]}
      />
    </>
  )
}

/** Its deletion, and the way back while there is one. */
function End({ organization }: Props) {
  const { id, name, state = 'active' } = organization
  const mayDelete = useCan('organizations:delete')
  const changed = useRefresh('GET /api/organizations', 'GET /api/me/organizations')
  const fresh = useFresh()
  const [isAsked, setAsked] = useState(false)
  if (!mayDelete || !['active', 'deleting', 'moved'].includes(state)) return null
  const restore = (): void => {
    fresh
      .run(() => call('POST /api/organizations/{id}/restore', { params: { id } }))
      .then(() => {
        notify(t('server.organizations.restored', { name }))
        return changed()
      })
      .catch(report)
  }
  return (
    <Section
      title={t('server.organizations.end')}
      hint={t(
        state === 'active'
          ? 'server.organizations.end-active'
          : 'server.organizations.end-deleting',
      )}
    >
      <div className="setup-actions">
        {state === 'deleting' && (
          <Button look="primary" onPress={restore}>
            {t('server.organizations.restore')}
          </Button>
        )}
        <Button
          look="danger"
          icon="trash"
          onPress={() => {
            setAsked(true)
          }}
        >
          {t(state === 'active' ? 'server.organizations.delete' : 'server.organizations.erase')}
        </Button>
      </div>
      {isAsked && (
        <DeleteOrganization
          organization={organization}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
      {fresh.dialog}
    </Section>
  )
}

function DeleteOrganization({ organization, onClose }: Props & { onClose: () => void }) {
  const { id, name, slug, state = 'active' } = organization
  const mayDelete = useCan('organizations:delete')
  const changed = useRefresh('GET /api/organizations', 'GET /api/me/organizations')
  const fresh = useFresh()
  const navigate = useNavigate()
  const [isAtOnce, setAtOnce] = useState(state !== 'active')
  if (!mayDelete) return null
  return (
    <>
      <TypedDialog
        title={t('server.organizations.delete-title', { name })}
        text={t('server.organizations.delete-hint')}
        action={t('server.organizations.delete-action', { name })}
        name={name}
        onClose={onClose}
        onConfirm={async () => {
          const body = { confirm: slug, ...(isAtOnce ? { erase_now: true } : {}) }
          await fresh.run(() => call('DELETE /api/organizations/{id}', { params: { id }, body }))
          notify(t('server.organizations.deleted', { name }))
          await changed()
          if (isAtOnce) await navigate({ to: '/server/organizations', search: {} })
        }}
      >
        <Checkbox isSelected={isAtOnce} isDisabled={state !== 'active'} onChange={setAtOnce}>
          {t('server.organizations.erase-now')}
        </Checkbox>
      </TypedDialog>
      {fresh.dialog}
    </>
  )
}
