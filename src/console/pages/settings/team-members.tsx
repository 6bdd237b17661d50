import { useState } from 'react'

import { call, type Data } from '../../api/client'
import type { Team } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { Button, IconButton } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { MenuItem } from '../../parts/menu'
import { Picker } from '../../parts/picker'
import { Popover } from '../../parts/popover'
import { roleTitleOf } from '../../parts/role-name'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useRefresh } from '../../live/use-refresh'

interface AddProps {
  known: ReadonlySet<string>
  onAdd: (userId: string) => void
}

/** A list of colleagues who are not in the team yet. */
function AddMember({ known, onAdd }: AddProps) {
  const [search, setSearch] = useState('')
  const { data } = useApi('GET /api/colleagues', { query: { search, limit: 20 } })
  const items = (data?.items ?? [])
    .filter(({ id }) => !known.has(id))
    .map((one) => ({
      id: one.id,
      label: one.full_name,
      hint: roleTitleOf(one.role_name),
    }))
  return (
    <Picker
      label={t('settings.teams.add-member')}
      items={items}
      onPick={onAdd}
      onSearch={setSearch}
    />
  )
}

type Member = Data<'GET /api/teams/{id}/members'>['members'][number]
type TeamRole = 'manager' | 'agent'

/** Makes a member a manager of the team, or an agent again. */
function RoleItem({ role, onChange }: { role: TeamRole; onChange: (role: TeamRole) => void }) {
  const isManager = role === 'manager'
  return (
    <MenuItem
      icon="team"
      label={t(isManager ? 'settings.teams.make-agent' : 'settings.teams.make-manager')}
      onAction={() => {
        onChange(isManager ? 'agent' : 'manager')
      }}
    />
  )
}

interface Props {
  team: Team
  canEdit: boolean
  onClose: () => void
}

/** Takes a member out of a team, who comes back by the note. `work` does that. */
async function remove(
  id: string,
  { user_id, role, full_name: name }: Member,
  work: (started: Promise<unknown>) => void,
): Promise<void> {
  await call('DELETE /api/teams/{id}/members/{user_id}', { params: { id, user_id } })
  notify(t('settings.teams.member-removed', { name }), () => {
    work(call('POST /api/teams/{id}/members', { params: { id }, body: { user_id, role } }))
  })
}

/** The window with the members of a team. */
export function TeamMembers({ team, canEdit, onClose }: Props) {
  const params = { id: team.id }
  const result = useApi('GET /api/teams/{id}/members', { params })
  const refresh = useRefresh('GET /api/teams/{id}/members', 'GET /api/teams')
  const work = (started: Promise<unknown>): void => {
    started.then(refresh).catch(report)
  }
  const known = new Set(result.data?.members.map((one) => one.user_id))
  return (
    <Dialog
      title={t('settings.teams.members-of', { name: team.name })}
      size="medium"
      isOpen
      onClose={onClose}
    >
      <Loaded result={result} rows={3}>
        {({ members }) => (
          <ItemList label={t('settings.teams.members-of', { name: team.name })}>
            {members.map((one) => (
              <Item
                key={one.id}
                mark={<Avatar name={one.full_name} id={one.id} size="small" />}
                name={one.full_name}
                badge={<span className="chip">{t(`settings.member.${one.role}`)}</span>}
                menu={
                  canEdit && (
                    <RoleItem
                      role={one.role}
                      onChange={(role) => {
                        const member = { id: team.id, user_id: one.user_id }
                        const wish = { params: member, body: { role } }
                        work(call('PUT /api/teams/{id}/members/{user_id}', wish))
                      }}
                    />
                  )
                }
                actions={
                  canEdit && (
                    <IconButton
                      icon="close"
                      label={t('settings.teams.remove-member', { name: one.full_name })}
                      onPress={() => {
                        work(remove(team.id, one, work))
                      }}
                    />
                  )
                }
              />
            ))}
            {members.length === 0 && (
              <li className="muted padded">{t('settings.teams.no-members')}</li>
            )}
          </ItemList>
        )}
      </Loaded>
      {canEdit && (
        <footer className="actions">
          <Popover
            label={t('settings.teams.add-member')}
            button={<Button icon="plus">{t('settings.teams.add-member')}</Button>}
          >
            {(close) => (
              <AddMember
                known={known}
                onAdd={(userId) => {
                  close()
                  work(call('POST /api/teams/{id}/members', { params, body: { user_id: userId } }))
                }}
              />
            )}
          </Popover>
        </footer>
      )}
    </Dialog>
  )
}
