import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'

import { signOut } from '../api/session'
import { can } from '../api/shapes'
import { useMe, usePreferences } from '../live/me'
import { setPreferences } from '../live/preferences'
import { Switch } from '../parts/choice'
import { useOfferedCommands } from '../parts/commands'
import { Dialog } from '../parts/dialog'
import { Icon } from '../parts/icons'
import { shortcutKey, useKeys, useSecondKeys } from '../parts/keys'
import { Picker, type PickerItem } from '../parts/picker'
import { report } from '../parts/toast'
import { t, type TextKey } from '../texts/texts'
import { PLACES } from './rail'

interface Command extends PickerItem {
  /** The key that runs it after G. */
  key?: string
  run: () => void
}

const THEMES = ['auto', 'light', 'dark'] as const

/** Everything that can be done from anywhere. */
function useCommands(onKeys: () => void): Command[] {
  const me = useMe()
  const navigate = useNavigate()
  const places = PLACES.filter(
    ({ needs }) => needs.length === 0 || needs.some((permission) => can(me, permission)),
  )
  const offered = useOfferedCommands()
  return [
    ...offered.map(({ icon, ...command }) => ({
      ...command,
      mark: <Icon name={icon} size={18} />,
    })),
    ...places.map(({ to, icon, text, key }) => ({
      id: `go ${to}`,
      label: t(text),
      mark: <Icon name={icon} size={18} />,
      shortcut: `G ${key.toUpperCase()}`,
      key,
      run: () => {
        navigate({ to, search: {} }).catch(report)
      },
    })),
    ...THEMES.map((theme) => ({
      id: `theme ${theme}`,
      label: `${t('shell.account.theme')}: ${t(`shell.theme.${theme}`)}`,
      mark: <Icon name="sun" size={18} />,
      run: () => {
        setPreferences({ theme })
      },
    })),
    {
      id: 'keys',
      label: t('shell.keys.help'),
      mark: <Icon name="keyboard" size={18} />,
      shortcut: '?',
      run: onKeys,
    },
    {
      id: 'sign-out',
      label: t('shell.account.sign-out'),
      mark: <Icon name="logout" size={18} />,
      run: () => {
        signOut().catch(report)
      },
    },
  ]
}

/** The command palette (Ctrl or ⌘ with K) and the list of keys (`?`). */
export function Palette() {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const close = (): void => {
    setOpen(null)
  }
  useKeys({
    'Shift+?': () => {
      setOpen('keys')
    },
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (shortcutKey(event).toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen('palette')
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
    }
  }, [])
  const commands = useCommands(() => {
    setOpen('keys')
  })
  useSecondKeys(
    'g',
    Object.fromEntries(commands.flatMap(({ key, run }) => (key === undefined ? [] : [[key, run]]))),
  )
  return (
    <>
      <Dialog
        size="medium"
        title={t('shell.palette.title')}
        isOpen={open === 'palette'}
        onClose={close}
      >
        <StillPointer>
          <Picker
            label={t('shell.palette.title')}
            placeholder={t('shell.palette.placeholder')}
            items={commands}
            onPick={(id) => {
              close()
              commands.find((one) => one.id === id)?.run()
            }}
          />
        </StillPointer>
      </Dialog>
      <KeysDialog isOpen={open === 'keys'} onClose={close} />
    </>
  )
}

/**
 * Ignores the pointer until it moves. Otherwise the command that happens to appear below it would
 * take the focus from the one that is typed.
 */
function StillPointer({ children }: { children: ReactNode }) {
  const [isStill, setStill] = useState(true)
  return (
    <div
      className={isStill ? 'still-pointer' : ''}
      onPointerMove={({ movementX, movementY }) => {
        if (movementX !== 0 || movementY !== 0) setStill(false)
      }}
    >
      {children}
    </div>
  )
}

const KEYS: [keys: string[], text: TextKey][] = [
  [['Ctrl', 'K'], 'shell.keys.palette'],
  [['?'], 'shell.keys.help'],
  [['J'], 'shell.keys.next'],
  [['K'], 'shell.keys.previous'],
  [['X'], 'shell.keys.select'],
  [['Shift', 'X'], 'shell.keys.select-range'],
  [['E'], 'shell.keys.close'],
  [['S'], 'shell.keys.snooze'],
  [['A', 'H'], 'shell.keys.assign'],
  [['L'], 'shell.keys.tag'],
  [['U'], 'shell.keys.unread'],
  [['R'], 'shell.keys.reply'],
  [['N'], 'shell.keys.note'],
  [['P'], 'shell.keys.next-transfer'],
  [['T'], 'shell.keys.template'],
  [['/'], 'shell.keys.canned'],
  [['G', 'I'], 'shell.keys.go-inbox'],
  [['G', 'F'], 'shell.keys.go-search'],
  [['G', 'T'], 'shell.keys.go-transfers'],
  [['G', 'S'], 'shell.keys.go-settings'],
]

function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { hasKeys } = usePreferences()
  return (
    <Dialog title={t('shell.keys.title')} isOpen={isOpen} onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, text]) => (
          <div key={text}>
            <dt>{t(text)}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        isSelected={hasKeys}
        onChange={(isOn) => {
          setPreferences({ hasKeys: isOn })
        }}
      >
        {t('shell.keys.enabled')}
      </Switch>
    </Dialog>
  )
}
