import { useSyncExternalStore } from 'react'

import { t } from '../texts/texts'
import { Button, IconButton } from './button'
import { sentenceOf } from './state'

interface Toast {
  id: number
  text: string
  kind: 'info' | 'error'
  action?: { label: string; run: () => void }
}

/** Time after which a note disappears, milliseconds. Errors stay until they are closed. */
const SHOWN_MS = 6_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const remove = (id: number): void => {
  change(toasts.filter((one) => one.id !== id))
}

function show(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  const id = lastId
  change([...toasts.slice(-2), { ...toast, id }])
  if (toast.kind === 'info')
    setTimeout(() => {
      remove(id)
    }, SHOWN_MS)
}

/** Shows a short note, with a way to undo what it reports. */
export const notify = (text: string, undo?: () => void): void => {
  const action = undo && { label: t('parts.action.undo'), run: undo }
  show({ text, kind: 'info', ...(action ? { action } : {}) })
}

/** Shows a short note, with a way to what it reports. */
export const notifyOf = (text: string, open: () => void): void => {
  show({ text, kind: 'info', action: { label: t('parts.action.open'), run: open } })
}

/** Whether an error says only that somebody changed their mind. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

/** Shows an error that belongs to no field. For `catch` of work that a click started. */
export const report = (error: unknown): void => {
  if (isAbort(error)) return
  show({ text: sentenceOf(error), kind: 'error' })
}

/** The place where notes appear. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    // heard and within reach while a window is open, too
    <div className="toasts" role="status" aria-live="polite" data-react-aria-top-layer="true">
      {shown.map(({ id, text, kind, action }) => (
        <div key={id} className={`toast ${kind}`}>
          <span>{text}</span>
          {action && (
            <Button
              look="quiet"
              onPress={() => {
                remove(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton
            icon="close"
            size={16}
            label={t('parts.action.close')}
            onPress={() => {
              remove(id)
            }}
          />
        </div>
      ))}
    </div>
  )
}
