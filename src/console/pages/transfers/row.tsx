import { useState } from 'react'

import type { Transfer } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { nameOf } from '../../parts/contact/name'
import { Dialog } from '../../parts/dialog'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { usePeople } from '../../parts/people'
import { Picker } from '../../parts/picker'
import { useSearchText } from '../../parts/use-search-text'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import type { Actions } from './actions'
import { Deadline, WaitingTime } from './deadline'

/** Pause in typing after which colleagues are searched, milliseconds. */
const PAUSE_MS = 150

interface Props {
  transfer: Transfer
  actions: Actions
}

interface RowProps extends Props {
  /** Takes the transfer when it is dragged, and `null` at the end. */
  onDrag: (transfer: Transfer | null) => void
}

/** Since when the customer waits, who has the transfer, or when it ended. */
function State({ transfer }: { transfer: Transfer }) {
  if (transfer.status !== 'active')
    return t('transfers.row.ended', {
      time: formatShort(transfer.resumed_at ?? transfer.transferred_at),
    })
  return transfer.agent_name === null ? (
    <WaitingTime since={transfer.transferred_at} />
  ) : (
    t('transfers.row.with', { name: transfer.agent_name })
  )
}

/** A transfer: the customer, its queue, its clocks, and what can be done with it. */
export function TransferRow({ transfer, actions, onDrag }: RowProps) {
  const me = useMe()
  const mayTake = useCan('transfers:pickup')
  const mayAssign = useCan('transfers:assign')
  const mayOpen = useCan('messages:read')
  const [isAssigning, setAssigning] = useState(false)
  const isActive = transfer.status === 'active'
  const isWaiting = isActive && transfer.agent_id === null
  const isOwn = transfer.agent_id === me.id
  const name = nameOf({ display_name: transfer.contact_name, ...transfer })
  const open = (): void => {
    actions.open(transfer)
  }
  const assign = (): void => {
    setAssigning(true)
  }
  return (
    <>
      <Item
        mark={<Avatar name={transfer.contact_name} size="small" />}
        name={name}
        badge={<Badges transfer={transfer} />}
        hint={<Hint transfer={transfer} />}
        onDrag={
          isActive && mayAssign
            ? (isDragged) => {
                onDrag(isDragged ? transfer : null)
              }
            : undefined
        }
        keys={{
          ...(mayOpen ? { Enter: open } : {}),
          ...(isActive && mayAssign ? { a: assign } : {}),
        }}
        actions={
          isWaiting && mayTake ? (
            <Button
              onPress={() => {
                actions.pickUp(transfer)
              }}
            >
              {t('transfers.action.pick-up')}
            </Button>
          ) : (
            mayOpen && (
              <Button look="quiet" onPress={open}>
                {t('transfers.action.open')}
              </Button>
            )
          )
        }
        menu={
          isActive && (mayAssign || isOwn) ? (
            <RowMenu {...{ transfer, actions, isOwn, mayAssign, mayOpen }} onAssign={assign} />
          ) : null
        }
      />
      {isAssigning && (
        <AssignDialog
          transfer={transfer}
          actions={actions}
          onClose={() => {
            setAssigning(false)
          }}
        />
      )}
    </>
  )
}

function Badges({ transfer }: { transfer: Transfer }) {
  return (
    <>
      <span className="chip">
        <bdi>{transfer.team_name ?? t('transfers.queue.general')}</bdi>
      </span>
      {transfer.priority > 0 && (
        <span className="chip">{t('transfers.row.priority', { value: transfer.priority })}</span>
      )}
      <Deadline transfer={transfer} />
    </>
  )
}

function Hint({ transfer }: { transfer: Transfer }) {
  return (
    <>
      <State transfer={transfer} /> · {t(`transfers.source.${transfer.source}`)}
      {transfer.notes !== null && transfer.notes !== '' && (
        <>
          {' · '}
          <bdi>{transfer.notes}</bdi>
        </>
      )}
    </>
  )
}

interface MenuProps extends Props {
  isOwn: boolean
  mayAssign: boolean
  mayOpen: boolean
  onAssign: () => void
}

function RowMenu({ transfer, actions, isOwn, mayAssign, mayOpen, onAssign }: MenuProps) {
  return (
    <>
      {mayOpen && (
        <MenuItem
          icon="inbox"
          label={t('transfers.action.open')}
          onAction={() => {
            actions.open(transfer)
          }}
        />
      )}
      {mayAssign && (
        <MenuItem icon="assign" label={t('transfers.action.assign')} onAction={onAssign} />
      )}
      {transfer.agent_id !== null && (
        <MenuItem
          icon="reply"
          label={t('transfers.action.return')}
          onAction={() => {
            actions.assign(transfer, null)
          }}
        />
      )}
      {(isOwn || mayAssign) && (
        <MenuItem
          icon="check"
          label={t('transfers.action.end')}
          onAction={() => {
            actions.end(transfer)
          }}
        />
      )}
    </>
  )
}

function AssignDialog({ transfer, actions, onClose }: Props & { onClose: () => void }) {
  const [search, setSearch] = useState('')
  const [, type] = useSearchText('', PAUSE_MS, setSearch)
  return (
    <Dialog title={t('transfers.action.assign')} isOpen onClose={onClose}>
      <Picker
        label={t('transfers.action.assign')}
        items={usePeople(search)}
        onSearch={type}
        onPick={(id) => {
          onClose()
          actions.assign(transfer, id)
        }}
      />
    </Dialog>
  )
}
