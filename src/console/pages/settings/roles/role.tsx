import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { PermissionKey, Role } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextArea, TextField } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { Guarded, Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { permissionsBeyond } from '../../../parts/permission-sentence'
import { roleTitle } from '../../../parts/role-name'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { Differences } from './differences'
import { Matrix, type Compared } from './matrix'
import { nearestOf, permissionsOf } from './permissions'
import { Seen } from './seen'

/** The address of a role that is being added. */
export const NEW = 'new'

/** What the page changes. */
type Values = Pick<Role, 'name' | 'updated_at'> & {
  description: string
  permissions: PermissionKey[]
}

/** Returns how the page shows what somebody else saved meanwhile. */
const mergeOf = (all: readonly PermissionKey[]): Merge<Values> => ({
  read: (present) => {
    const role = present as Role
    const held = permissionsOf(role)
    return {
      ...{ name: role.name, description: role.description ?? '', updated_at: role.updated_at },
      permissions: all.filter((one) => held.includes(one)),
    }
  },
  label: (field) =>
    t(
      field === 'permissions'
        ? 'settings.roles.permissions'
        : field === 'name'
          ? 'settings.field.name'
          : 'settings.teams.description',
    ),
  show: (field, value, other) =>
    field === 'permissions'
      ? permissionsBeyond(value as PermissionKey[], other as PermissionKey[])
      : null,
})

interface FormProps {
  /** The role; of a new one, the role that it begins as. */
  role: Role
  isNew: boolean
  all: PermissionKey[]
  compared: Compared[]
  /** The role that it began as, or of the system the one most like it; `null` for one of those. */
  base: Compared | null
}

/** What a role is called and for; of a new one, also the role that it begins as. */
function About({ draft: { value, set }, from }: { draft: Draft<Values>; from: string | null }) {
  const navigate = useNavigate()
  return (
    <Section title={t('settings.roles.about')}>
      <div className="form">
        {from !== null && (
          <FoundSelect<{ id: string; name: string; is_system: boolean }>
            kind="role"
            label={t('settings.roles.preset')}
            hint={t('settings.roles.preset-hint')}
            labelOf={roleTitle}
            value={from}
            onChange={(chosen) => {
              navigate({ to: '.', search: { from: chosen } }).catch(report)
            }}
          />
        )}
        <TextField
          name="name"
          label={t('settings.field.name')}
          value={value.name}
          onChange={(name) => {
            set({ name })
          }}
          isRequired
          maxLength={100}
        />
        <TextArea
          name="description"
          rows={2}
          label={t('settings.teams.description')}
          value={value.description}
          onChange={(description) => {
            set({ description })
          }}
          maxLength={500}
        />
      </div>
    </Section>
  )
}

/** What a role of the organization is called and may do. */
function RoleForm({ role, isNew, all, compared, base }: FormProps) {
  const navigate = useNavigate()
  const refresh = useRefresh('GET /api/roles', 'GET /api/roles/{id}', 'GET /api/users')
  const own = useMe().permissions
  const held = permissionsOf(role)
  const draft = useDraft<Values>({
    name: isNew ? '' : role.name,
    description: isNew ? '' : (role.description ?? ''),
    permissions: all.filter((one) => held.includes(one) && (!isNew || own.includes(one))),
    updated_at: role.updated_at,
  })
  const merge = mergeOf(all)
  const { value, set } = draft
  return (
    <EditPage
      title={isNew ? t('settings.roles.add') : role.name}
      hint={isNew ? t('settings.roles.add-hint') : t('settings.roles.effect')}
      draft={draft}
      isNew={isNew}
      merge={merge}
      onSave={async (changes, { updated_at: ifMatch }) => {
        if (isNew) {
          const { updated_at: _, ...body } = value
          const made = await callOnce('POST /api/roles', { body })
          await refresh()
          await navigate({ to: '/settings/roles/$roleId', params: { roleId: made.id }, search: {} })
          return
        }
        await call('PUT /api/roles/{id}', { params: { id: role.id }, body: changes, ifMatch })
        await refresh()
      }}
    >
      <About draft={draft} from={isNew ? role.id : null} />
      <Seen permissions={value.permissions} />
      {base && <Differences held={value.permissions} base={base} />}
      <Section title={t('settings.roles.permissions')} hint={t('settings.roles.permissions-hint')}>
        <Matrix
          all={all}
          held={value.permissions}
          compared={compared}
          base={base}
          onChange={(permissions) => {
            set({ permissions })
          }}
        />
      </Section>
    </EditPage>
  )
}

/** A role that the caller cannot change: one of the system, or one that may do more. */
function FixedRole({ role, all, compared, base }: Omit<FormProps, 'isNew'>) {
  const held = permissionsOf(role)
  const why = role.is_system ? 'settings.roles.system-hint' : 'settings.roles.more-than-you'
  return (
    <Page
      title={roleTitle(role)}
      hint={t(why)}
      actions={
        useCan('roles:create') && (
          <Link
            className="button plain"
            to="/settings/roles/$roleId"
            params={{ roleId: NEW }}
            search={{ from: role.id }}
          >
            {t('settings.roles.like-this')}
          </Link>
        )
      }
    >
      <Seen permissions={held} />
      {base && <Differences held={held} base={base} />}
      <Section title={t('settings.roles.permissions')}>
        <Matrix all={all} held={held} compared={compared} base={base} />
      </Section>
    </Page>
  )
}

const comparedWith = (role: Role): Compared => ({
  title: roleTitle(role),
  permissions: permissionsOf(role),
})

/** The page of a role, or of a new one. */
export function RolePage() {
  const { roleId } = useParams({ from: '/settings/roles/$roleId' })
  const { from } = useSearch({ from: '/settings' })
  const canAdd = useCan('roles:read', 'roles:create')
  const canRead = useCan('roles:read') && (roleId !== NEW || canAdd)
  const canUpdate = useCan('roles:update')
  const own = useMe().permissions
  const isNew = roleId === NEW
  const catalog = useApi('GET /api/permissions', {}, canRead).data
  const list = useApi('GET /api/roles', { query: { limit: 50 } }, canRead)
  const system = (list.data?.items ?? []).filter(({ is_system: isSystem }) => isSystem)
  const idOf = (name: string): string => system.find((one) => one.name === name)?.id ?? ''
  const shown = isNew ? (from ?? idOf('agent')) : roleId
  const byId = (id: string) => [{ params: { id } }, canRead && id !== ''] as const
  const result = useApi('GET /api/roles/{id}', ...byId(shown))
  const admin = useApi('GET /api/roles/{id}', ...byId(idOf('admin'))).data
  const agent = useApi('GET /api/roles/{id}', ...byId(idOf('agent'))).data
  const manager = useApi('GET /api/roles/{id}', ...byId(idOf('manager'))).data
  if (!canRead || !catalog || !admin || !agent || !manager || !result.data)
    return (
      <Page title={t('settings.roles.title')}>
        <Guarded needs={isNew ? ['roles:read', 'roles:create'] : 'roles:read'}>
          <Loaded result={result}>{() => null}</Loaded>
        </Guarded>
      </Page>
    )
  const role = result.data
  const isFixed =
    !isNew && (role.is_system || !canUpdate || !permissionsOf(role).every((p) => own.includes(p)))
  const presets = [agent, manager, admin]
  const facts = {
    role,
    all: catalog.permissions.map(({ key }) => key),
    compared: presets.filter(({ id }) => id !== role.id && id !== admin.id).map(comparedWith),
    base: isNew
      ? comparedWith(role)
      : role.is_system
        ? null
        : nearestOf(permissionsOf(role), presets.map(comparedWith)),
  }
  return isFixed ? (
    <FixedRole {...facts} />
  ) : (
    <RoleForm key={`${roleId} ${role.id}`} {...facts} isNew={isNew} />
  )
}
