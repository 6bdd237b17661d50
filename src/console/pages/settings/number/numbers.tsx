import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Icon } from '../../../parts/icons'
import { Item } from '../../../parts/item-list'
import { t } from '../../../texts/texts'
import { Collection, usePage } from '../collection'
import { DeleteDialog } from '../delete-dialog'
import { editMenu, useEditing, type Editing } from '../../../parts/edit-menu'
import { NumberWebhook } from './webhook'
import { Badges, hintOf, NextButton, NumberActions } from './row'
import { ConnectDialog } from '../signup/connect-dialog'
import { useSignupDialogs } from '../signup/use-signup'
import { useRefresh } from '../../../live/use-refresh'

/** The window that is open about a number, besides the one in which it is disconnected. */
interface Opened {
  what: 'setup' | 'receive'
  account: Account
}

/** The phone numbers of the organization: connect, set up and disconnect them. */
export function Numbers() {
  const editing = useEditing<Account>()
  const [opened, setOpened] = useState<Opened | null>(null)
  const canAdd = useCan('accounts:create')
  const canDelete = useCan('accounts:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/accounts', { query }, useCan('accounts:read'))
  const add = (): void => {
    editing.edit('new')
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
          link={
            <Link to="/settings/numbers/$numberId" params={{ numberId: account.id }} search={{}}>
              <bdi>{account.name}</bdi>
            </Link>
          }
          badge={<Badges account={account} />}
          hint={hintOf(account)}
          actions={
            <NextButton
              account={account}
              onSetup={() => {
                setOpened({ what: 'setup', account })
              }}
              onReceive={() => {
                setOpened({ what: 'receive', account })
              }}
            />
          }
          menu={editMenu({
            onEdit: null,
            onDelete: canDelete ? () => editing.remove(account) : null,
            deleteLabel: t('settings.numbers.disconnect'),
            more: (
              <NumberActions
                account={account}
                onSetup={() => {
                  setOpened({ what: 'setup', account })
                }}
                onReceive={() => {
                  setOpened({ what: 'receive', account })
                }}
              />
            ),
          })}
        />
      )}
    >
      <NumberWindows
        editing={editing}
        opened={opened}
        onConnected={(account) => {
          setOpened({ what: 'receive', account })
        }}
        onClose={() => {
          setOpened(null)
        }}
      />
    </Collection>
  )
}

interface WindowsProps {
  editing: Editing<Account>
  opened: Opened | null
  /** Called with a number that was connected by hand: its messages do not arrive yet. */
  onConnected: (account: Account) => void
  onClose: () => void
}

/** The windows about a number: connect, set up, receive its messages, disconnect. */
function NumberWindows({ editing, opened, onConnected, onClose }: WindowsProps) {
  const { edited, deleted, close } = editing
  const canAdd = useCan('accounts:create')
  const canEdit = useCan('accounts:update')
  const refresh = useRefresh('GET /api/accounts')
  const dialogs = useSignupDialogs(canAdd)
  return (
    <>
      {edited === 'new' && (
        <ConnectDialog dialogs={dialogs} onConnected={onConnected} onClose={close} />
      )}
      {opened?.what === 'setup' && (
        <ConnectDialog dialogs={dialogs} accountId={opened.account.id} onClose={onClose} />
      )}
      {canEdit && opened?.what === 'receive' && (
        <NumberWebhook account={opened.account} onClose={onClose} />
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
    </>
  )
}
