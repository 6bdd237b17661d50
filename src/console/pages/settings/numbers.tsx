import { useState } from 'react'

import { call } from '../../api/client'
import type { Account } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from './edit-menu'
import { NumberDialog } from './number-dialog'
import { NumberHealth } from './number-health'
import { ConnectDialog, useSignupDialog } from './signup'
import { useRefresh } from './use-refresh'

const LOOKS = { active: 'good', pending: 'warn', disconnected: 'danger', suspended: 'danger' }
const QUALITIES = { GREEN: 'good', YELLOW: 'warn', RED: 'danger', UNKNOWN: '' }

function Badges({ account }: { account: Account }) {
  return (
    <>
      <span className={`chip ${LOOKS[account.status]}`}>
        {t(`settings.numbers.status.${account.status}`)}
      </span>
      {account.quality_rating !== 'UNKNOWN' && (
        <span className={`chip ${QUALITIES[account.quality_rating]}`}>
          {t(`settings.numbers.quality.${account.quality_rating}`)}
        </span>
      )}
      {account.routing_roles?.length === 0 && (
        <span className="chip danger">{t('settings.numbers.roles.chip')}</span>
      )}
      {!account.subscribed && (
        <span className="chip warn">{t('settings.numbers.not-subscribed')}</span>
      )}
    </>
  )
}

const hintOf = ({ display_phone_number: number, last_inbound_at: last }: Account): string =>
  [
    // a number keeps its direction between words of another one
    number === null ? null : `\u2066${number}\u2069`,
    last === null
      ? t('settings.numbers.no-inbound')
      : t('settings.numbers.inbound', { time: formatDateTime(last) }),
  ]
    .filter((fact) => fact !== null)
    .join(' · ')

interface ActionsProps {
  account: Account
  onHealth: () => void
  onSubscribed: () => Promise<void>
}

/** Lets the platform report the number's messages to this server. */
const subscribe = ({
  account,
  onSubscribed,
}: Pick<ActionsProps, 'account' | 'onSubscribed'>): void => {
  call('POST /api/accounts/{id}/subscribe', { params: { id: account.id }, body: {} })
    .then(() => {
      notify(t('settings.numbers.subscribed'))
      return onSubscribed()
    })
    .catch(report)
}

/** Stands in the row as long as no messages of the number arrive. */
function SubscribeButton(props: Pick<ActionsProps, 'account' | 'onSubscribed'>) {
  const canEdit = useCan('accounts:update')
  if (!canEdit || props.account.subscribed) return null
  return (
    <Button
      onPress={() => {
        subscribe(props)
      }}
    >
      {t('settings.numbers.subscribe')}
    </Button>
  )
}

/** What else can be done with a number: look at its health, subscribe webhooks, load templates. */
function NumberActions({ account, onHealth, onSubscribed }: ActionsProps) {
  const canEdit = useCan('accounts:update')
  const canSync = useCan('templates:sync')
  return (
    <>
      <MenuItem icon="info" label={t('settings.numbers.health')} onAction={onHealth} />
      {canEdit && (
        <MenuItem
          icon="link"
          label={t('settings.numbers.subscribe')}
          onAction={() => {
            subscribe({ account, onSubscribed })
          }}
        />
      )}
      {canSync && (
        <MenuItem
          icon="refresh"
          label={t('settings.numbers.sync')}
          onAction={() => {
            call('POST /api/templates/sync', { body: { account_id: account.id } })
              .then(({ synced }) => {
                notify(t('settings.numbers.synced', { count: synced }))
              })
              .catch(report)
          }}
        />
      )}
    </>
  )
}

/** The phone numbers of the organization: connect, check, change and disconnect them. */
export function Numbers() {
  const { edited, deleted, edit, remove, close } = useEditing<Account>()
  const [opened, setOpened] = useState<Account | null>(null)
  const canAdd = useCan('accounts:create')
  const canEdit = useCan('accounts:update')
  const canDelete = useCan('accounts:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/accounts', { query }, useCan('accounts:read'))
  const refresh = useRefresh('GET /api/accounts')
  const dialogUrl = useSignupDialog(canAdd)
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.numbers.title')}
      hint={t('settings.numbers.hint')}
      needs="accounts:read"
      add={canAdd ? { label: t('settings.numbers.add'), onPress: add } : null}
      empty={{
        icon: 'phone',
        title: t('settings.numbers.empty'),
        hint: t('settings.numbers.empty-hint'),
      }}
      result={result}
      row={(account) => (
        <Item
          key={account.id}
          mark={<Icon name="phone" />}
          name={account.name}
          badge={<Badges account={account} />}
          hint={hintOf(account)}
          actions={<SubscribeButton account={account} onSubscribed={refresh} />}
          menu={editMenu({
            onEdit: canEdit ? () => edit(account) : null,
            onDelete: canDelete ? () => remove(account) : null,
            deleteLabel: t('settings.numbers.disconnect'),
            more: (
              <NumberActions
                account={account}
                onHealth={() => {
                  setOpened(account)
                }}
                onSubscribed={refresh}
              />
            ),
          })}
        />
      )}
    >
      {edited === 'new' && <ConnectDialog dialogUrl={dialogUrl} onClose={close} />}
      {edited && edited !== 'new' && <NumberDialog account={edited} onClose={close} />}
      {opened && (
        <NumberHealth
          account={opened}
          canTest={canEdit}
          onClose={() => {
            setOpened(null)
          }}
        />
      )}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.numbers.delete')}
          onDelete={() =>
            call('DELETE /api/accounts/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
