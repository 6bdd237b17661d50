import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { Button } from './button'
import { Confirm } from './dialog'
import { fieldErrors, Form } from './field'
import { Page } from './page'
import { sentenceOf, Trouble } from './state'
import { notify } from './toast'

/** What a form holds, and how its fields change it. */
export interface Draft<T> {
  /** What is stored, with what was changed since. */
  value: T
  /** What differs from what is stored. */
  changes: Partial<T>
  /** Changes fields. A field that is as it is stored again counts as unchanged. */
  set: (changes: Partial<T>) => void
  /** Forgets the changes: all of them, or those that are as they were `sent`. */
  discard: (sent?: Partial<T>) => void
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Returns the fields of one that are not the same in the other. */
const differing = <T extends object>(one: Partial<T>, other: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(one).filter(([name, value]) => !isSame(value, other[name as keyof T])),
  ) as Partial<T>

/** Keeps what a person changed about `saved`. What they did not change follows it. */
export function useDraft<T extends object>(saved: T): Draft<T> {
  const [changed, setChanged] = useState<Partial<T>>({})
  const changes = differing(changed, saved)
  return {
    value: { ...saved, ...changes },
    changes,
    set: (more) => {
      setChanged((before) => ({ ...before, ...more }))
    },
    discard: (sent) => {
      setChanged((before) => (sent ? differing(before, sent) : {}))
    },
  }
}

/** Asks before somebody leaves a page with changes that are not saved. */
function LeaveQuestion({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  return (
    <Confirm
      isOpen={status === 'blocked'}
      title={t('parts.edit.leave')}
      text={t('parts.edit.leave-hint')}
      action={t('parts.edit.leave-action')}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
    />
  )
}

/** Saves the form around an element with Ctrl or ⌘ and S. */
function useSaveKey(isChanged: boolean): (bar: HTMLElement | null) => void {
  const bar = useRef<HTMLElement | null>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      if (isChanged) bar.current?.querySelector<HTMLElement>('[type=submit]')?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
    }
  }, [isChanged])
  return (element) => {
    bar.current = element
  }
}

interface Props<T extends object> {
  title: string
  hint?: string
  /** Shown beside the title. */
  actions?: ReactNode
  draft: Draft<T>
  /** Saves what was changed, and loads what is stored again. */
  onSave: (changes: Partial<T>) => Promise<unknown>
  /** Whether the form adds something, so that it can be saved as it stands. */
  isNew?: boolean
  children: ReactNode
}

/**
 * A form that fills a page. Once something was changed, a bar at its end saves or discards it, and
 * leaving asks first. Errors of the server stand at the fields whose `name` is their path.
 */
export function EditPage<T extends object>(props: Props<T>) {
  const { draft, onSave, isNew = false, children, ...page } = props
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isChanged = Object.keys(draft.changes).length > 0
  const bar = useSaveKey(isChanged)
  const marked = fieldErrors(error)
  useEffect(() => {
    if (error !== null)
      document.querySelector<HTMLElement>('.edit-form [data-invalid] :is(input, textarea)')?.focus()
  }, [error])
  const save = (): void => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    const sent = draft.changes
    onSave(sent)
      .then(() => {
        draft.discard(sent) // what was changed meanwhile stays
        notify(t('parts.edit.saved'))
      })
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Page {...page}>
      <div className="edit-form">
        <Form onSubmit={save} validationErrors={marked}>
          {children}
          {(isChanged || isNew) && (
            <footer ref={bar} className="save-bar">
              {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
              <p className="muted grow">{isChanged && t('parts.edit.changed')}</p>
              <Button
                isDisabled={!isChanged || isBusy}
                onPress={() => {
                  setError(null)
                  draft.discard()
                }}
              >
                {t('parts.edit.discard')}
              </Button>
              <Button type="submit" look="primary" isPending={isBusy}>
                {t('parts.action.save')}
              </Button>
            </footer>
          )}
        </Form>
      </div>
      <LeaveQuestion isChanged={isChanged && !isBusy} />
    </Page>
  )
}
