import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { Button } from './button'
import { Confirm } from './dialog'
import type { Draft } from './draft'
import { fieldErrors, Form } from './field'
import { useMerged, type Merge } from './merge'
import { Page } from './page'
import { sentenceOf, Trouble } from './state'
import { isAbort, notify } from './toast'

interface LeaveProps {
  isChanged: boolean
  /** Saves what saves itself, before it is asked. Rejects if that is not possible. */
  save?: () => Promise<unknown>
}

/** Asks before somebody leaves a page with changes that are not saved. */
export function LeaveQuestion({ isChanged, save }: LeaveProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (!isChanged || current.pathname === next.pathname) return false
      if (save === undefined) return true
      return await save().then(
        () => false,
        () => true,
      )
    },
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
  /** The parts of the screen that have addresses of their own. */
  tabs?: ReactNode
  /** Whether it takes the room that there is. */
  isWide?: boolean
  draft: Draft<T>
  /**
   * Saves what was changed, and loads what is stored again. `seen` is what the person had before
   * them, whose `updated_at` says whether somebody changed it since.
   */
  onSave: (changes: Partial<T>, seen: T) => Promise<unknown>
  /** What happens when somebody did. Without it, the person reads that they did. */
  merge?: Merge<T>
  /** What is wrong with its fields by their `name`, known before anything is saved. */
  problems?: Readonly<Record<string, string>>
  /** Whether the form adds something, so that it can be saved as it stands. */
  isNew?: boolean
  children: ReactNode
}

/**
 * A form that fills a page. Once something was changed, a bar at its end saves or discards it, and
 * leaving asks first. Errors of the server stand at the fields whose `name` is their path. What
 * somebody else saved meanwhile is kept; where both changed a field, the person chooses.
 */
export function EditPage<T extends object>(props: Props<T>) {
  const { draft, onSave, merge, problems, isNew = false, children, ...page } = props
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const merged = useMerged(merge)
  const isChanged = Object.keys(draft.changes).length > 0
  const bar = useSaveKey(isChanged)
  const marked = { ...fieldErrors(error), ...problems }
  useEffect(() => {
    if (error !== null)
      document.querySelector<HTMLElement>('.edit-form [data-invalid] :is(input, textarea)')?.focus()
  }, [error])
  const keep = async (): Promise<void> => {
    await merged.save(draft.changes, draft.seen, onSave)
    draft.discard(draft.changes) // what was changed meanwhile stays
    notify(t('parts.edit.saved'))
  }
  const save = (): void => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    keep()
      .catch((problem: unknown) => {
        if (!isAbort(problem)) setError(problem)
      })
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
      {merged.windows}
      <LeaveQuestion isChanged={isChanged && !isBusy} />
    </Page>
  )
}
