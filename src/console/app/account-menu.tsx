import { useNavigate } from '@tanstack/react-router'

import { call } from '../api/client'
import { reloadMe, signOut, switchOrganization } from '../api/session'
import { useMe, usePreferences } from '../live/me'
import { useApi } from '../live/query'
import { setPreferences } from '../live/preferences'
import { Avatar } from '../parts/avatar'
import { PlainButton } from '../parts/button'
import { Menu, MenuItem, MenuSection } from '../parts/menu'
import { report } from '../parts/toast'
import { t } from '../texts/texts'

const THEMES = ['auto', 'light', 'dark'] as const
const DENSITIES = ['comfortable', 'compact'] as const

interface ChoiceProps<K extends string> {
  title: string
  choices: readonly { id: K; label: string; detail?: string }[]
  chosen: K
  onChoose: (id: K) => void
}

/** A section of which one item is chosen. */
function ChoiceSection<K extends string>({ title, choices, chosen, onChoose }: ChoiceProps<K>) {
  return (
    <MenuSection
      title={title}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      onSelectionChange={(keys) => {
        const picked = choices.find(({ id }) => keys !== 'all' && keys.has(id))
        if (picked) onChoose(picked.id)
      }}
    >
      {choices.map(({ id, ...shown }) => (
        <MenuItem key={id} id={id} {...shown} />
      ))}
    </MenuSection>
  )
}

/** How this device shows the console. */
function Appearance() {
  const { theme, density } = usePreferences()
  return (
    <>
      <ChoiceSection
        title={t('shell.account.theme')}
        choices={THEMES.map((id) => ({ id, label: t(`shell.theme.${id}`) }))}
        chosen={theme}
        onChoose={(chosen) => {
          setPreferences({ theme: chosen })
        }}
      />
      <ChoiceSection
        title={t('shell.density.label')}
        choices={DENSITIES.map((id) => ({ id, label: t(`shell.density.${id}`) }))}
        chosen={density}
        onChoose={(chosen) => {
          setPreferences({ density: chosen })
        }}
      />
    </>
  )
}

/** Says at which server an organization is, without the scheme of its address. */
const movedText = (address: string): string =>
  t('shell.account.moved', { address: address.replace(/^https?:\/\//, '') })

/** The menu of the signed-in user: availability, organization, appearance, sign-out. */
export function AccountMenu() {
  const me = useMe()
  const navigate = useNavigate()
  const { data } = useApi('GET /api/me/organizations', {})
  const organizations = data?.organizations ?? []
  return (
    <Menu
      label={t('shell.account.menu')}
      placement="end bottom"
      button={
        <PlainButton className="account-button">
          <span className="visually-hidden">
            {[t('shell.account.menu'), me.full_name].join(': ')}
          </span>
          <Avatar name={me.full_name} id={me.id} size="small" />
          <span className={me.is_available ? 'presence available' : 'presence'} />
        </PlainButton>
      }
    >
      <ChoiceSection
        title={me.full_name}
        choices={[
          { id: 'available', label: t('shell.account.available') },
          { id: 'away', label: t('shell.account.away') },
        ]}
        chosen={me.is_available ? 'available' : 'away'}
        onChoose={(id) => {
          call('PUT /api/me/availability', { body: { is_available: id === 'available' } })
            .then(reloadMe)
            .catch(report)
        }}
      />
      {me.membership_id !== null && (
        <MenuItem
          icon="analytics"
          label={t('shell.account.figures')}
          onAction={() => {
            navigate({ to: '/analytics/mine', search: {} }).catch(report)
          }}
        />
      )}
      {organizations.length > 1 && (
        <ChoiceSection
          title={t('shell.account.organization')}
          choices={organizations.map((one) => ({
            ...{ id: one.organization_id, label: one.name },
            ...(one.moved_to === undefined ? {} : { detail: movedText(one.moved_to) }),
          }))}
          chosen={me.organization_id}
          onChoose={(id) => {
            const address = organizations.find((one) => one.organization_id === id)?.moved_to
            if (address !== undefined) {
              location.assign(address)
              return
            }
            // the open conversation or contact belongs to the other organization
            navigate({ to: '/inbox', search: {} })
              .then(() => switchOrganization(id))
              .catch(report)
          }}
        />
      )}
      <Appearance />
      <MenuItem
        id="sign-out"
        icon="logout"
        label={t('shell.account.sign-out')}
        onAction={() => {
          signOut().catch(report)
        }}
      />
    </Menu>
  )
}
