import type { ComponentProps } from 'react'

import { t } from '../texts/texts'
import type { Draft } from './draft'
import { FormDialog } from './form-dialog'
import { useMerged, type Merge } from './merge'

interface Props<T extends object> extends Omit<
  ComponentProps<typeof FormDialog>,
  'onSave' | 'submit' | 'isDisabled'
> {
  draft: Draft<T>
  /**
   * Saves what was changed, and loads what is stored again. `seen` is what the person had before
   * them, whose `updated_at` says whether somebody changed it since. Not called without a change.
   */
  onSave: (changes: Partial<T>, seen: T) => Promise<unknown>
  /** How it shows what somebody else saved meanwhile. */
  merge: Merge<T>
  /** Whether the form adds something, so that it can be saved as it stands. */
  isNew?: boolean
}

/**
 * A form in a window over the page that changes something stored. What somebody else saved meanwhile
 * is kept; where both changed a field, the person chooses. Mount it to open it.
 */
export function EditDialog<T extends object>(props: Props<T>) {
  const { draft, onSave, merge, isNew = false, ...dialog } = props
  const merged = useMerged(merge)
  const isChanged = Object.keys(draft.changes).length > 0
  return (
    <>
      <FormDialog
        {...dialog}
        submit={t('parts.action.save')}
        onSave={async () => {
          if (isChanged || isNew) await merged.save(draft.changes, draft.seen, onSave)
        }}
      />
      {merged.windows}
    </>
  )
}
