import { useEffect, useState, type ReactNode } from 'react'

import { usePreferences } from '../live/me'
import { setPreferences } from '../live/preferences'
import { Switch } from '../parts/choice'
import { Dialog } from '../parts/dialog'
import { shortcutKey, useKeys, useSecondKeys } from '../parts/keys'
import { Picker, useContains } from '../parts/picker'
import { useSearchText } from '../parts/use-search-text'
import { t, type TextKey } from '../texts/texts'
import { useCommands, type Command } from './commands'
import { useFound } from './found'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150

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
        size="bare"
        title={t('shell.palette.title')}
        isOpen={open === 'palette'}
        onClose={close}
      >
        <StillPointer>
          <Entries commands={commands} onClose={close} />
        </StillPointer>
      </Dialog>
      <KeysDialog isOpen={open === 'keys'} onClose={close} />
    </>
  )
}

/** What can be done and found, by what is typed. */
function Entries({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const contains = useContains()
  const [asked, setAsked] = useState('')
  const [typed, setTyped] = useSearchText('', PAUSE_MS, setAsked)
  const text = typed.trim()
  const { found, isLoading } = useFound(asked)
  const entries = [
    ...commands.filter(({ label, isFoundOnly = false }) =>
      text === '' ? !isFoundOnly : contains(label, text),
    ),
    ...(text === '' ? [] : found),
  ]
  return (
    <Picker
      label={t('shell.palette.title')}
      placeholder={t('shell.palette.placeholder')}
      items={entries}
      isLoading={isLoading || text !== asked}
      onSearch={setTyped}
      onPick={(id) => {
        onClose()
        entries.find((one) => one.id === id)?.run()
      }}
    />
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
  [['C'], 'shell.keys.new-message'],
  [['Ctrl', 'Shift', 'Enter'], 'shell.keys.send-close'],
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
