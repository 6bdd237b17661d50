import { Link, useNavigate } from '@tanstack/react-router'

import { call, type Data } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Item } from '../../../parts/item-list'
import { MenuItem } from '../../../parts/menu'
import { roleTitle } from '../../../parts/role-name'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { Collection, usePage } from '../collection'
import { DeleteDialog } from '../delete-dialog'
import { editMenu, useEditing } from '../../../parts/edit-menu'
import { useRefresh } from '../../../live/use-refresh'
import { NEW } from './role'

type Summary = Data<'GET /api/roles'>['items'][number]

/** What a role is for: system roles are explained in every language. */
const aboutOf = (role: Summary): string => {
  const people = t('settings.roles.people', { count: role.user_count })
  const about = role.is_system
    ? t(`settings.roles.system-about.${role.name as 'admin' | 'manager' | 'agent'}`)
    : (role.description ?? '')
  return about === '' ? people : `${people} · ${about}`
}

function RoleBadges({ role }: { role: Summary }) {
  return (
    <>
      {role.is_system && <span className="chip">{t('settings.roles.system')}</span>}
      {role.is_default && <span className="chip good">{t('settings.roles.is-default')}</span>}
    </>
  )
}

/** The roles of the organization. */
export function Roles() {
  const navigate = useNavigate()
  const { deleted, remove, close } = useEditing<Summary>()
  const canAdd = useCan('roles:create')
  const canEdit = useCan('roles:update')
  const canDelete = useCan('roles:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/roles', { query }, useCan('roles:read'))
  const refresh = useRefresh('GET /api/roles')
  const open = (roleId: string): void => {
    navigate({ to: '/settings/roles/$roleId', params: { roleId }, search: {} }).catch(report)
  }
  const add = (): void => {
    open(NEW)
  }
  const makeDefault = (role: Summary): void => {
    call('PUT /api/roles/{id}', { params: { id: role.id }, body: { is_default: true } })
      .then(refresh)
      .then(() => {
        notify(t('settings.roles.is-default-now', { name: roleTitle(role) }))
      })
      .catch(report)
  }
  return (
    <Collection
      title={t('settings.roles.title')}
      hint={t('settings.roles.hint')}
      needs="roles:read"
      add={canAdd ? { label: t('settings.roles.add'), onPress: add } : null}
      empty={{ icon: 'lock', title: t('settings.roles.empty'), hint: t('settings.roles.hint') }}
      result={result}
      row={(role) => (
        <Item
          key={role.id}
          name={roleTitle(role)}
          link={
            <Link to="/settings/roles/$roleId" params={{ roleId: role.id }} search={{}}>
              <bdi>{roleTitle(role)}</bdi>
            </Link>
          }
          badge={<RoleBadges role={role} />}
          hint={aboutOf(role)}
          menu={editMenu({
            onEdit: canEdit && !role.is_system ? () => open(role.id) : null,
            onDelete: canDelete && !role.is_system ? () => remove(role) : null,
            more: canEdit && !role.is_default && (
              <MenuItem
                icon="star"
                label={t('settings.roles.make-default')}
                onAction={() => {
                  makeDefault(role)
                }}
              />
            ),
          })}
        />
      )}
    >
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.roles.delete')}
          onDelete={() =>
            call('DELETE /api/roles/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
