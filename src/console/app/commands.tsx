import { useNavigate } from '@tanstack/react-router'

import { signOut } from '../api/session'
import { can } from '../api/shapes'
import { useMe } from '../live/me'
import { setPreferences } from '../live/preferences'
import { BOT_SCREENS } from '../pages/bot/sections'
import { GROUPS } from '../pages/settings/sections'
import { useOfferedCommands } from '../parts/commands'
import { CONTACT_LISTS } from '../parts/contact/lists'
import { TEMPLATE_LISTS } from '../parts/template/lists'
import { Icon } from '../parts/icons'
import type { PickerItem } from '../parts/picker'
import { report } from '../parts/toast'
import { t } from '../texts/texts'
import { usePlaces } from './rail'

/** Something that the palette does or opens. */
export interface Command extends PickerItem {
  /** The key that runs it after G. */
  key?: string
  /** Whether it is shown only when somebody looks for it. */
  isFoundOnly?: boolean
  run: () => void
}

const THEMES = ['auto', 'light', 'dark'] as const

/** The screens that no place leads to at once, each with the name of its area. */
const screensOfAreas = () => [
  ...CONTACT_LISTS.filter(({ to }) => to !== '/contacts').map((screen) => ({
    ...screen,
    group: 'shell.nav.contacts' as const,
  })),
  ...TEMPLATE_LISTS.filter(({ to }) => to !== '/templates').map((screen) => ({
    ...screen,
    group: 'shell.nav.templates' as const,
  })),
  ...BOT_SCREENS.filter(({ to }) => to !== '/bot').map((screen) => ({
    ...screen,
    group: 'shell.nav.bot' as const,
  })),
  FIRST_STEPS,
  ...GROUPS.flatMap(({ sections }) =>
    sections.map((screen) => ({ ...screen, group: 'shell.nav.settings' as const })),
  ),
]

/** The list of first steps, also once it was left. */
const FIRST_STEPS = {
  to: '/welcome',
  text: 'welcome.title',
  icon: 'check',
  group: 'shell.palette.go',
  needs: ['settings:update'],
} as const

/** Everything that can be done from anywhere. */
export function useCommands(onKeys: () => void): Command[] {
  const me = useMe()
  const navigate = useNavigate()
  const places = usePlaces()
  const offered = useOfferedCommands()
  const [page, go, console] = [
    t('shell.palette.page'),
    t('shell.palette.go'),
    t('shell.palette.console'),
  ]
  return [
    ...offered.map(({ icon, ...command }) => ({
      ...command,
      group: page,
      mark: <Icon name={icon} size={18} />,
    })),
    ...places.map(({ to, icon, text, key }) => ({
      id: `go ${to}`,
      group: go,
      label: t(text),
      mark: <Icon name={icon} size={18} />,
      shortcut: `G ${key.toUpperCase()}`,
      key,
      run: () => {
        navigate({ to, search: {} }).catch(report)
      },
    })),
    ...screensOfAreas()
      .filter(({ needs }) => can(me, ...needs))
      .map(({ to, text, icon, group }) => ({
        id: `go ${to}`,
        group: t(group),
        label: t(text),
        mark: <Icon name={icon} size={18} />,
        isFoundOnly: true,
        run: () => {
          navigate({ to, search: {} }).catch(report)
        },
      })),
    ...THEMES.map((theme) => ({
      id: `theme ${theme}`,
      group: console,
      label: `${t('shell.account.theme')}: ${t(`shell.theme.${theme}`)}`,
      mark: <Icon name="sun" size={18} />,
      run: () => {
        setPreferences({ theme })
      },
    })),
    {
      id: 'keys',
      group: console,
      label: t('shell.keys.help'),
      mark: <Icon name="keyboard" size={18} />,
      shortcut: '?',
      run: onKeys,
    },
    {
      id: 'sign-out',
      group: console,
      label: t('shell.account.sign-out'),
      mark: <Icon name="logout" size={18} />,
      run: () => {
        signOut().catch(report)
      },
    },
  ]
}
