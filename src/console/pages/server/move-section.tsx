import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { FormDialog } from '../../parts/form-dialog'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { useFresh } from './fresh'
import { MoveItem } from './move-item'
import type { ListedOrganization } from './organizations'
import { moveError } from './words'
import { canMove } from './rules'
import { useRefresh } from '../../live/use-refresh'

const MOST = 100

/** The move of an organization to another server. Nothing if this server is alone. */
export function MoveSection({ organization }: { organization: ListedOrganization }) {
  const { id, name, state = 'active' } = organization
  const health = useApi('GET /api/admin/health', {})
  const query = { limit: MOST }
  const moves = useApi('GET /api/admin/organizations/moves', { query })
  const [isAsked, setAsked] = useState(false)
  const others = health.data?.cells.filter(({ own }) => !own) ?? []
  const known = moves.data?.items.find((move) => move.organization_id === id)
  if (others.length === 0 && known === undefined) return null
  return (
    <Section
      title={t('server.moves.section')}
      hint={t('server.moves.section-hint')}
      actions={
        canMove(state, known) &&
        others.length > 0 && (
          <Button
            onPress={() => {
              setAsked(true)
            }}
          >
            {t('server.moves.start')}
          </Button>
        )
      }
    >
      {known !== undefined && (
        <ul className="item-list" aria-label={t('server.moves.title')}>
          <MoveItem move={known} name={name} />
        </ul>
      )}
      {isAsked && (
        <StartMove
          id={id}
          name={name}
          addresses={others.map(({ address }) => address)}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </Section>
  )
}

function StartMove({
  id,
  name,
  addresses,
  onClose,
}: {
  id: string
  name: string
  addresses: readonly string[]
  onClose: () => void
}) {
  const [to, setTo] = useState(addresses[0] ?? '')
  const changed = useRefresh('GET /api/admin/organizations/moves', 'GET /api/organizations')
  const fresh = useFresh()
  return (
    <>
      <FormDialog
        title={t('server.moves.start-title', { name })}
        submit={t('server.moves.start')}
        onClose={onClose}
        onSave={async () => {
          const wish = { params: { id }, body: { to } }
          await fresh.run(() =>
            callOnce('POST /api/admin/organizations/{id}/move', wish).catch((error: unknown) => {
              throw moveError(error)
            }),
          )
          await changed()
        }}
      >
        <p>{t('server.moves.start-hint')}</p>
        <Select
          label={t('server.moves.to')}
          value={to}
          choices={addresses.map((address) => ({ id: address, label: address }))}
          onChange={setTo}
        />
      </FormDialog>
      {fresh.dialog}
    </>
  )
}
