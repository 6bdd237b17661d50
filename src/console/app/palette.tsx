import { Fragment, useEffect, useState, type ReactNode } from 'react'

import { usePreferences } from '../live/me'
import { setPreferences } from '../live/preferences'
import { Switch } from '../parts/choice'
import { Dialog } from '../parts/dialog'
import { KEYS, shortcutKey, useKeys, useSecondKeys } from '../parts/keys'
import { Picker, useContains } from '../parts/picker'
import { useSearchText } from '../parts/use-search-text'
import { t } from '../texts/texts'
import { useCommands, type Command } from './commands'
import { useFound } from './found'
import { usePlaces } from './rail'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150

/** The command palette (Ctrl or ⌘ with K) and the list of keys (`?`). */
export function Palette() {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const close = (): void => {
    setOpen(null)
  }
  useKeys({
    '?': () => {
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

const isApple = /^(?:Mac|iP)/.test(navigator.platform)
function nameOfKey(key: string): string {
  if (key === 'Mod') return isApple ? '⌘' : 'Ctrl'
  return key === 'Space' ? t('shell.keys.space') : key
}

/** What each key does, in groups; the places are those that the person may see. */
function useKeyGroups(): { title: string; keys: [keys: string[], text: string][] }[] {
  const places = usePlaces().map(({ key, text }): [string[], string] => [
    [`G ${key.toUpperCase()}`],
    t(text),
  ])
  const groups = KEYS.map(({ group, keys }) => ({
    title: t(group),
    keys: keys.map(([names, text]): [string[], string] => [names, t(text)]),
  }))
  return [...groups, { title: t('shell.palette.go'), keys: places }]
}

function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { hasKeys } = usePreferences()
  const groups = useKeyGroups()
  return (
    <Dialog title={t('shell.keys.title')} size="large" isOpen={isOpen} onClose={onClose}>
      <div className="keys">
        {groups.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([names, text]) => (
                <div key={text}>
                  <dt>{text}</dt>
                  <dd>
                    {names.map((name, nth) => (
                      <Fragment key={name}>
                        {nth > 0 && <span className="muted small">{t('shell.keys.or')}</span>}
                        {name.split(' ').map((one) => (
                          <kbd key={one}>{nameOfKey(one)}</kbd>
                        ))}
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
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
