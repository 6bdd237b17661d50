import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { WebhookEndpointWithStats } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { Button, IconButton } from '../../../parts/button'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Menu, MenuItem } from '../../../parts/menu'
import { Page, Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { formatList } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { DeleteDialog } from '../delete-dialog'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'
import { EndpointFields } from './fields'
import { EndpointScreen, type Frame } from './frame'
import { Secret } from './secret'
import { Status } from './status'
import { TestSection } from './test'
import { bodyOf, MERGE, valuesOf } from './values'
import { EndpointState } from './words'

/** What every change of an endpoint loads again. */
export const useEndpointRefresh = (): (() => Promise<void>) =>
  useRefresh('GET /api/webhooks', 'GET /api/webhooks/{id}')

interface Props {
  endpoint: WebhookEndpointWithStats
}

/** The state of an endpoint, and how it is paused, resumed and deleted. */
function Actions({ endpoint }: Props) {
  const { id, name, is_active: isActive } = endpoint
  const navigate = useNavigate()
  const refresh = useEndpointRefresh()
  const canUpdate = useCan('webhooks:update')
  const canDelete = useCan('webhooks:delete')
  const [isAsked, setAsked] = useState(false)
  const params = { id }
  const steer = (): void => {
    const done = isActive
      ? call('POST /api/webhooks/{id}/disable', { params })
      : call('POST /api/webhooks/{id}/enable', { params })
    done.then(refresh).catch(report)
  }
  return (
    <div className="chips">
      <EndpointState {...endpoint} />
      {canUpdate && (
        <Button icon={isActive ? 'pause' : 'play'} onPress={steer}>
          {t(isActive ? 'webhooks.pause' : 'webhooks.resume')}
        </Button>
      )}
      {canDelete && (
        <Menu
          label={t('list.item.actions', { name })}
          button={<IconButton icon="more" label={t('list.item.actions', { name })} />}
        >
          <MenuItem
            icon="trash"
            isDangerous
            label={t('settings.action.delete')}
            onAction={() => {
              setAsked(true)
            }}
          />
        </Menu>
      )}
      {isAsked && (
        <DeleteDialog
          name={name}
          text={t('webhooks.delete')}
          onDelete={async () => {
            await call('DELETE /api/webhooks/{id}', { params })
            await navigate({ to: '/settings/webhooks', search: {} })
            await refresh()
          }}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </div>
  )
}

/** An endpoint whose settings can be changed. */
function EndpointForm({ endpoint, frame }: Props & { frame: Frame }) {
  const draft = useDraft(valuesOf(endpoint))
  const refresh = useEndpointRefresh()
  return (
    <EditPage
      {...frame}
      actions={<Actions endpoint={endpoint} />}
      draft={draft}
      merge={MERGE}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const params = { id: endpoint.id }
        await call('PUT /api/webhooks/{id}', { params, body: bodyOf(changes), ifMatch })
        await refresh()
      }}
    >
      <Status endpoint={endpoint} />
      <TestSection endpoint={endpoint} />
      <EndpointFields draft={draft} />
      <Secret endpoint={endpoint} />
    </EditPage>
  )
}

/** An endpoint for those who only read. */
const EndpointRead = ({ endpoint, frame }: Props & { frame: Frame }) => (
  <Page {...frame} actions={<Actions endpoint={endpoint} />}>
    <Status endpoint={endpoint} />
    <Section title={t('webhooks.events')}>
      <Facts
        facts={[
          [t('webhooks.events'), formatList(endpoint.events)],
          [t('webhooks.headers'), formatList(Object.keys(endpoint.headers))],
          [t('webhooks.ordering'), t(`webhooks.ordering.${endpoint.ordering}`)],
        ]}
      />
    </Section>
  </Page>
)

/** The first part of an endpoint's screen: how it works, a test, and its settings. */
export function Webhook() {
  const canUpdate = useCan('webhooks:update')
  return (
    <EndpointScreen>
      {(endpoint, frame) =>
        canUpdate ? (
          <EndpointForm key={endpoint.id} endpoint={endpoint} frame={frame} />
        ) : (
          <EndpointRead endpoint={endpoint} frame={frame} />
        )
      }
    </EndpointScreen>
  )
}
