import { useState } from 'react'

import { call } from '../../api/client'
import { reloadMe } from '../../api/session'
import type { Me } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { fieldErrors, Form, TextField, textOf } from '../../parts/field'
import { FoundSelect } from '../../parts/found-select'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { Select, type Choice } from '../../parts/select'
import { sentenceOf, Trouble } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useRefresh } from './use-refresh'

/** Colors on which white text can be read, as the API requires. */
const COLORS = {
  gray: '#56606b',
  blue: '#0b57b0',
  green: '#08634b',
  yellow: '#8a5300',
  red: '#b3261e',
  purple: '#6b3fa0',
} as const
const NO_COLOR = 'none'

const colorChoices = (accent: string | null): Choice<string>[] => {
  const known = Object.entries(COLORS).map(([name, id]) => ({
    id: id as string,
    label: t(`settings.color.${name as keyof typeof COLORS}`),
  }))
  const isOwn = accent !== null && !known.some(({ id }) => id === accent)
  return [
    { id: NO_COLOR, label: t('settings.organization.no-color') },
    ...known,
    ...(isOwn
      ? [{ id: accent, label: t('settings.organization.own-color', { color: accent }) }]
      : []),
  ]
}

/** How people recognize the organization. */
function Look({ accent }: { accent: string | null }) {
  const { organization } = useMe()
  const [color, setColor] = useState(accent ?? NO_COLOR)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const refresh = useRefresh('GET /api/organizations/branding')
  const refreshNames = useRefresh('GET /api/me/organizations')
  const save = async (data: FormData): Promise<void> => {
    const chosen = color === NO_COLOR ? null : color
    await call('PUT /api/organizations/settings', { body: { name: textOf(data, 'name') } })
    if (chosen !== accent)
      await call('PUT /api/organizations/branding', { body: { accent: chosen } })
    await Promise.all([reloadMe(), refresh(), refreshNames()])
    notify(t('settings.state.saved'))
  }
  return (
    <Form
      onSubmit={(data) => {
        setBusy(true)
        setError(null)
        save(data)
          .catch(setError)
          .finally(() => {
            setBusy(false)
          })
      }}
      validationErrors={fieldErrors(error)}
    >
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={organization.name}
        isRequired
        maxLength={255}
        autoComplete="organization"
      />
      <Select
        label={t('settings.organization.color')}
        choices={colorChoices(accent)}
        value={color}
        onChange={setColor}
      />
      <footer className="actions">
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('settings.action.save')}
        </Button>
      </footer>
    </Form>
  )
}

/** Queues of no team. */
const QUEUES = ['nobody', 'general'] as const

/** Where conversations wait that no person and no team has. */
function NewConversations({ settings }: { settings: Me['organization']['settings'] }) {
  const { new_conversations: queue } = settings
  const kind = QUEUES.find((one) => one === queue) ?? 'team'
  return (
    <div className="form">
      <FoundSelect<{ id: string; name: string; is_active: boolean }>
        kind="team"
        isNeeded={useCan('teams:read')}
        label={t('settings.organization.queue')}
        first={QUEUES.map((id) => ({
          id,
          label: t(`settings.organization.${id}`),
          hint: t(`settings.organization.${id}-hint`),
        }))}
        isChoice={({ is_active: isActive }) => isActive}
        value={queue}
        hint={t(`settings.organization.${kind}-hint`)}
        onChange={(chosen) => {
          call('PUT /api/organizations/settings', { body: { new_conversations: chosen } })
            .then(reloadMe)
            .then(() => {
              notify(t('settings.state.saved'))
            })
            .catch(report)
        }}
      />
    </div>
  )
}

const JOINING = ['invitation', 'open', 'closed'] as const

/** Who may become a member. */
function Joining({ settings }: { settings: Me['organization']['settings'] }) {
  const choices = JOINING.map((id) => ({ id, label: t(`settings.organization.join.${id}`) }))
  return (
    <div className="form">
      <Select
        label={t('settings.organization.join')}
        choices={choices}
        value={settings.registration_policy}
        hint={t('settings.organization.join-hint')}
        onChange={(policy) => {
          call('PUT /api/organizations/settings', { body: { registration_policy: policy } })
            .then(reloadMe)
            .then(() => {
              notify(t('settings.state.saved'))
            })
            .catch(report)
        }}
      />
    </div>
  )
}

/** The name and the look of the organization, who may join, and where new conversations go. */
export function Organization() {
  const { organization } = useMe()
  const branding = useApi('GET /api/organizations/branding', {})
  return (
    <Page title={t('settings.organization.title')}>
      <Guarded needs="settings:update">
        <Section
          title={t('settings.organization.look')}
          hint={t('settings.organization.look-hint')}
        >
          <Loaded result={branding} rows={2}>
            {({ accent }) => <Look accent={accent} />}
          </Loaded>
        </Section>
        <Section title={t('settings.organization.new')} hint={t('settings.organization.new-hint')}>
          <NewConversations settings={organization.settings} />
        </Section>
        <Section title={t('settings.organization.members')}>
          <Joining settings={organization.settings} />
        </Section>
      </Guarded>
    </Page>
  )
}
