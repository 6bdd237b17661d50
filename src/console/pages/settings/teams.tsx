import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Team } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { useDraft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { TextField } from '../../parts/field'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import type { Merge } from '../../parts/merge'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from '../../parts/edit-menu'
import { TeamMembers } from './team-members'
import { useRefresh } from '../../live/use-refresh'

const STRATEGIES = ['round_robin', 'load_balanced', 'manual'] as const

type Values = Pick<Team, 'name' | 'assignment_strategy' | 'is_active' | 'updated_at'> & {
  description: string
}

const EMPTY: Values = {
  ...{ name: '', description: '', assignment_strategy: 'round_robin', is_active: true },
  updated_at: '',
}

const valuesOf = (team: Team): Values => ({
  name: team.name,
  description: team.description ?? '',
  assignment_strategy: team.assignment_strategy,
  is_active: team.is_active,
  updated_at: team.updated_at,
})

/** Returns values as the API takes them. */
function bodyOf(values: Partial<Values>) {
  const { description, updated_at: _, ...rest } = values
  return { ...rest, ...(description === undefined ? {} : { description: description || null }) }
}

const LABELS = {
  name: 'settings.field.name',
  description: 'settings.teams.description',
  assignment_strategy: 'settings.teams.strategy',
  is_active: 'settings.teams.active',
  updated_at: 'settings.field.name',
} as const

const MERGE: Merge<Values> = {
  read: (present) => valuesOf((present as { team: Team }).team),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'assignment_strategy'
      ? t(`settings.strategy.${value as Values['assignment_strategy']}`)
      : null,
}

/** The window in which a team is added or changed. */
function TeamDialog({ team, onClose }: { team: Team | null; onClose: () => void }) {
  const draft = useDraft(team ? valuesOf(team) : EMPTY)
  const refresh = useRefresh('GET /api/teams')
  const { value, set } = draft
  return (
    <EditDialog
      title={t(team ? 'settings.teams.edit' : 'settings.teams.add')}
      draft={draft}
      merge={MERGE}
      isNew={!team}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        await (team
          ? call('PUT /api/teams/{id}', { params: { id: team.id }, body: bodyOf(changes), ifMatch })
          : callOnce('POST /api/teams', { body: { ...bodyOf(value), name: value.name } }))
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
        maxLength={100}
        autoFocus
      />
      <TextField
        name="description"
        label={t('settings.teams.description')}
        value={value.description}
        onChange={(description) => {
          set({ description })
        }}
      />
      <Select
        label={t('settings.teams.strategy')}
        choices={STRATEGIES.map((id) => ({ id, label: t(`settings.strategy.${id}`) }))}
        value={value.assignment_strategy}
        onChange={(strategy) => {
          set({ assignment_strategy: strategy })
        }}
      />
      <Switch
        isSelected={value.is_active}
        onChange={(isOn) => {
          set({ is_active: isOn })
        }}
      >
        {t('settings.teams.active')}
      </Switch>
    </EditDialog>
  )
}

/** The teams of the organization, and who belongs to them. */
export function Teams() {
  const { edited, deleted, edit, remove, close } = useEditing<Team>()
  const [opened, setOpened] = useState<Team | null>(null)
  const canAdd = useCan('teams:create')
  const canEdit = useCan('teams:update')
  const canDelete = useCan('teams:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/teams', { query }, useCan('teams:read'))
  const refresh = useRefresh('GET /api/teams')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.teams.title')}
      hint={t('settings.teams.hint')}
      needs="teams:read"
      add={canAdd ? { label: t('settings.teams.add'), onPress: add } : null}
      empty={{
        icon: 'contacts',
        title: t('settings.teams.empty'),
        hint: t('settings.teams.empty-hint'),
      }}
      result={result}
      row={(team) => (
        <Item
          key={team.id}
          name={team.name}
          badge={!team.is_active && <span className="chip">{t('settings.state.inactive')}</span>}
          hint={`${t('settings.teams.members', { count: team.member_count })} · ${t(`settings.strategy.${team.assignment_strategy}`)}`}
          menu={editMenu({
            onEdit: canEdit ? () => edit(team) : null,
            onDelete: canDelete ? () => remove(team) : null,
            more: (
              <MenuItem
                icon="contacts"
                label={t('settings.teams.show-members')}
                onAction={() => {
                  setOpened(team)
                }}
              />
            ),
          })}
        />
      )}
    >
      {edited && <TeamDialog team={edited === 'new' ? null : edited} onClose={close} />}
      {opened && (
        <TeamMembers
          team={opened}
          canEdit={canEdit}
          onClose={() => {
            setOpened(null)
          }}
        />
      )}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.teams.delete')}
          onDelete={() =>
            call('DELETE /api/teams/{id}', { params: { id: deleted.id }, query: {} }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
