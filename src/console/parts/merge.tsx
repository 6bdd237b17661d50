import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { Button } from './button'
import { Dialog } from './dialog'
import { saveMerged, type Clash, type Merge, type Saving } from './save-merged'

export type { Merge }

/** Returns a plain value in words. */
function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'parts.merge.on' : 'parts.merge.off')
  if (Array.isArray(value) && value.length > 0) return value.map(shownValue).join(', ')
  if (typeof value === 'string' || typeof value === 'number')
    return value === '' ? t('parts.merge.empty') : String(value)
  return t(value === null || Array.isArray(value) ? 'parts.merge.empty' : 'parts.merge.changed')
}

interface Props<T> {
  clash: Clash<T>
  merge: Merge<T>
  /** Saves what was chosen of the own changes. */
  onChoose: (mine: Partial<T>) => void
  onClose: () => void
}

/** Lets a person choose between what they changed and what somebody else saved meanwhile. */
function MergeDialog<T extends object>({ clash, merge, onChoose, onClose }: Props<T>) {
  const { present, mine, fields } = clash
  const [theirs, setTheirs] = useState<ReadonlySet<keyof T>>(new Set())
  const choose = (field: keyof T, isTheirs: boolean): void => {
    const next = new Set(theirs)
    if (isTheirs) next.add(field)
    else next.delete(field)
    setTheirs(next)
  }
  return (
    <Dialog title={t('parts.merge.title')} size="medium" isOpen onClose={onClose}>
      <p>{t('parts.merge.hint')}</p>
      {fields.map((field) => (
        <fieldset key={String(field)} className="merge">
          <legend>{merge.label(field)}</legend>
          {[true, false].map((isTheirs) => {
            const [value, other] = isTheirs
              ? [present[field], mine[field]]
              : [mine[field], present[field]]
            return (
              <label key={String(isTheirs)} className="merge-side">
                <input
                  type="radio"
                  name={`merge ${String(field)}`}
                  checked={theirs.has(field) === isTheirs}
                  onChange={() => {
                    choose(field, isTheirs)
                  }}
                />
                <span className="grow">
                  <span className="muted small block">
                    {t(isTheirs ? 'parts.merge.theirs' : 'parts.merge.mine')}
                  </span>
                  <bdi>{merge.show?.(field, value, other) ?? shownValue(value)}</bdi>
                </span>
              </label>
            )
          })}
        </fieldset>
      ))}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
        <Button
          look="primary"
          onPress={() => {
            const kept = Object.entries(mine).filter(([field]) => !theirs.has(field as keyof T))
            onChoose(Object.fromEntries(kept) as Partial<T>)
          }}
        >
          {t('parts.action.save')}
        </Button>
      </footer>
    </Dialog>
  )
}

interface Waiting<T> {
  clash: Clash<T>
  /** Goes on with what was chosen; nothing was if it is `null`. */
  settle: (mine: Partial<T> | null) => void
}

/**
 * Returns how changes are saved, and the window in which a person chooses between what they and
 * somebody else changed. Saving rejects with an `AbortError` if they choose nothing.
 */
export function useMerged<T extends object>(
  merge: Merge<T> | undefined,
): {
  save: (mine: Partial<T>, seen: T, send: Saving<T>['send']) => Promise<void>
  windows: ReactNode
} {
  const client = useQueryClient()
  const [waiting, setWaiting] = useState<Waiting<T> | null>(null)
  // what is on the screen, when what somebody else saved is all that counts
  const reload = (): Promise<void> => client.invalidateQueries()
  const choose = async (clash: Clash<T>): Promise<Partial<T>> => {
    const chosen = await new Promise<Partial<T> | null>((resolve) => {
      setWaiting({ clash, settle: resolve })
    })
    setWaiting(null)
    if (chosen === null) throw new DOMException('not saved', 'AbortError')
    return chosen
  }
  const save = (mine: Partial<T>, seen: T, send: Saving<T>['send']): Promise<void> =>
    saveMerged({ merge, mine, seen, send, reload, choose })
  return {
    save,
    windows: waiting && merge && (
      <MergeDialog
        clash={waiting.clash}
        merge={merge}
        onChoose={waiting.settle}
        onClose={() => {
          waiting.settle(null)
        }}
      />
    ),
  }
}
