import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Team } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from './edit-menu'
import { TeamMembers } from './team-members'
import { useRefresh } from './use-refresh'

const STRATEGIES = ['round_robin', 'load_balanced', 'manual'] as const

/** The window in which a team is added or changed. */
function TeamDialog({ team, onClose }: { team: Team | null; onClose: () => void }) {
  const [strategy, setStrategy] = useState(team?.assignment_strategy ?? 'round_robin')
  const [isActive, setActive] = useState(team?.is_active ?? true)
  const refresh = useRefresh('GET /api/teams')
  const save = async (data: FormData): Promise<void> => {
    const body = {
      name: textOf(data, 'name'),
      description: textOf(data, 'description') || null,
      assignment_strategy: strategy,
      is_active: isActive,
    }
    await (team
      ? call('PUT /api/teams/{id}', { params: { id: team.id }, body })
      : callOnce('POST /api/teams', { body }))
    await refresh()
  }
  return (
    <FormDialog
      title={t(team ? 'settings.teams.edit' : 'settings.teams.add')}
      submit={t('settings.action.save')}
      onClose={onClose}
      onSave={save}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={team?.name ?? ''}
        isRequired
        maxLength={100}
        autoFocus
      />
      <TextField
        name="description"
        label={t('settings.teams.description')}
        defaultValue={team?.description ?? ''}
      />
      <Select
        label={t('settings.teams.strategy')}
        choices={STRATEGIES.map((id) => ({ id, label: t(`settings.strategy.${id}`) }))}
        value={strategy}
        onChange={setStrategy}
      />
      <Switch isSelected={isActive} onChange={setActive}>
        {t('settings.teams.active')}
      </Switch>
    </FormDialog>
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
