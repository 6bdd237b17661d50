import { useState } from 'react'

import { call } from '../../api/client'
import type { User } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { useDraft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { FoundName } from '../../parts/found-select'
import { Item } from '../../parts/item-list'
import type { Merge } from '../../parts/merge'
import { roleTitle } from '../../parts/role-name'
import { report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { Collection, usePage, useWords } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from '../../parts/edit-menu'
import { InviteDialog, Invitations } from './invitations'
import { AccessDialog, accessMenu, type AccessChange } from './people-access'
import { RoleSelect } from './role-select'
import { useRefresh } from '../../live/use-refresh'

type Values = Pick<User, 'role_id' | 'is_active' | 'updated_at'>

const valuesOf = ({ role_id, is_active, updated_at }: User): Values => ({
  ...{ role_id, is_active, updated_at },
})

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as User),
  label: (field) => t(field === 'role_id' ? 'settings.people.role' : 'settings.people.active'),
  show: (field, value) =>
    field === 'role_id' ? <FoundName kind="role" id={String(value)} /> : null,
}

/** The window in which the role of a person is changed. */
function UserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const draft = useDraft(valuesOf(user))
  const refresh = useRefresh('GET /api/users')
  const { value, set } = draft
  return (
    <EditDialog
      title={user.full_name}
      draft={draft}
      merge={MERGE}
      onClose={onClose}
      onSave={async (body, { updated_at: ifMatch }) => {
        await call('PUT /api/users/{id}', { params: { id: user.id }, body, ifMatch })
        await refresh()
      }}
    >
      <RoleSelect
        value={value.role_id}
        onChange={(id) => {
          set({ role_id: id })
        }}
      />
      <Switch
        isSelected={value.is_active}
        onChange={(isOn) => {
          set({ is_active: isOn })
        }}
      >
        {t('settings.people.active')}
      </Switch>
    </EditDialog>
  )
}

function UserBadges({ user }: { user: User }) {
  return (
    <>
      <span className="chip">{roleTitle(user.role)}</span>
      {!user.is_confirmed && <span className="chip warn">{t('settings.people.unconfirmed')}</span>}
      {user.is_active && !user.is_available && (
        <span className="chip">{t('settings.people.away')}</span>
      )}
      {!user.is_active && <span className="chip warn">{t('settings.state.inactive')}</span>}
      {user.two_factor_enabled && (
        <span className="chip good">{t('settings.people.two-factor')}</span>
      )}
    </>
  )
}

/** Returns when a person signed in last. */
export const lastLoginOf = ({ last_login_at: at }: User): string =>
  at === null
    ? t('settings.people.never')
    : t('settings.people.last-login', { time: formatDateTime(at) })

const emptyState = () => ({
  icon: 'contacts' as const,
  title: t('settings.people.empty'),
  hint: t('settings.people.hint'),
})

/** The people of the organization, and who is invited. */
export function People() {
  const me = useMe()
  const { edited, deleted, edit, remove, close } = useEditing<User>()
  const [access, setAccess] = useState<AccessChange | null>(null)
  const canEdit = useCan('users:update', 'roles:read')
  const canChangeAccess = useCan('users:update')
  const canDelete = useCan('users:delete')
  const canInvite = useCan('organizations:assign', 'roles:read')
  const search = useWords()
  const query = { page: usePage(), limit: 50, ...(search === '' ? {} : { search }) }
  const result = useApi('GET /api/users', { query }, useCan('users:read'))
  const refresh = useRefresh('GET /api/users')
  const confirm = (user: User): Promise<void> =>
    call('PUT /api/users/{id}', { params: { id: user.id }, body: { is_confirmed: true } })
      .then(refresh)
      .catch(report)
  const invite = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.people.title')}
      hint={t('settings.people.hint')}
      needs="users:read"
      searchLabel={t('settings.people.search')}
      add={canInvite ? { label: t('settings.people.invite'), onPress: invite } : null}
      empty={emptyState()}
      result={result}
      row={(user) => (
        <Item
          key={user.id}
          mark={<Avatar name={user.full_name} id={user.id} size="small" />}
          name={user.full_name}
          badge={<UserBadges user={user} />}
          hint={`${user.email} · ${lastLoginOf(user)}`}
          actions={
            canEdit &&
            !user.is_confirmed && (
              <Button onPress={() => void confirm(user)}>{t('settings.people.confirm')}</Button>
            )
          }
          menu={
            user.id !== me.id &&
            editMenu({
              onEdit: canEdit ? () => edit(user) : null,
              onDelete: canDelete ? () => remove(user) : null,
              deleteLabel: t('settings.people.remove'),
              more: canChangeAccess && accessMenu(user, setAccess),
            })
          }
        />
      )}
    >
      {canInvite && <Invitations />}
      {edited === 'new' && <InviteDialog onClose={close} />}
      {edited && edited !== 'new' && <UserDialog user={edited} onClose={close} />}
      {access && (
        <AccessDialog
          {...access}
          onClose={() => {
            setAccess(null)
          }}
        />
      )}
      {deleted && (
        <DeleteDialog
          name={deleted.full_name}
          text={t('settings.people.remove-hint')}
          onDelete={() =>
            call('DELETE /api/users/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
