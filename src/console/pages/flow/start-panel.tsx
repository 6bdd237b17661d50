import { useRef, useState } from 'react'

import { call } from '../../api/client'
import type { BotFlow } from '../../api/shapes'
import { Button } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { differing, useDraft } from '../../parts/draft'
import { fieldErrors, Form } from '../../parts/field'
import { useMerged, type Merge } from '../../parts/merge'
import { sentenceOf, Trouble } from '../../parts/state'
import { isAbort, notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Side } from './side'
import { Beginning, More, Texts } from './start-fields'
import { valuesOf, type FlowValues } from './start-values'
import { useFlow } from './use-flow'

const MERGE: Merge<FlowValues> = {
  read: (present) => valuesOf(present as BotFlow),
  label: (field) => t(`flow.setting.${field as 'name'}`),
}

/** How a flow begins and ends: words, number, what is said around its steps. */
export function StartPanel({ onClose }: { onClose: () => void }) {
  const { flow, store, isEditable } = useFlow()
  const draft = useDraft(valuesOf(flow))
  const merged = useMerged(MERGE)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  const isChanged = Object.keys(draft.changes).length > 0
  const save = (): void => {
    setBusy(true)
    setError(null)
    const keep = async (): Promise<void> => {
      await store.flush()
      await merged.save(draft.changes, draft.seen, async (changes, seen) => {
        const { updated_at: _at, ...body } = changes
        const now = valuesOf(store.snapshot().flow)
        // the draft of the steps may have been stored since; whatever else was is looked at first
        const isAsSeen = Object.keys(differing(now, seen)).every((name) => name === 'updated_at')
        const ifMatch = seen === draft.seen && isAsSeen ? now.updated_at : seen.updated_at
        const params = { id: flow.id }
        const sent = { params, body: body as Partial<FlowValues>, ifMatch }
        store.took(await call('PUT /api/chatbot/flows/{id}', sent))
      })
      draft.discard()
      body.current?.focus() // the button goes
      notify(t('parts.edit.saved'))
    }
    keep()
      .catch((problem: unknown) => {
        if (!isAbort(problem)) setError(problem)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Side label={t('flow.start')} title={t('flow.start')} icon="settings" onClose={onClose}>
      <div ref={body} className="flow-side-body" tabIndex={-1}>
        <p className="muted">{t('flow.start-at-once')}</p>
        <fieldset className="flow-plain" disabled={!isEditable}>
          <Form onSubmit={save} validationErrors={fieldErrors(error)}>
            {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
            <Beginning draft={draft} />
            <Disclosure title={t('flow.start-texts')}>{() => <Texts draft={draft} />}</Disclosure>
            <Disclosure title={t('flow.start-more')}>{() => <More draft={draft} />}</Disclosure>
            {isChanged && (
              <footer className="flow-save">
                <Button
                  onPress={() => {
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
        </fieldset>
      </div>
      {merged.windows}
    </Side>
  )
}
