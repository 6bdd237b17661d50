import { useState } from 'react'

import { call } from '../../api/client'
import type { BotFlow } from '../../api/shapes'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { Disclosure } from '../../parts/disclosure'
import { useDraft, type Draft } from '../../parts/draft'
import { fieldErrors, Form, NumberField, TextField } from '../../parts/field'
import { FoundSelect } from '../../parts/found-select'
import { useMerged, type Merge } from '../../parts/merge'
import { Select } from '../../parts/select'
import { sentenceOf, Trouble } from '../../parts/state'
import { isAbort, notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { CompletionFields } from './completion'
import { splitWords } from './fields/choices'
import { VariableText } from './fields/text'
import { PanelFields } from './panel-fields'
import { Side } from './side'
import { useFlow } from './use-flow'

const FIELDS = [
  'name',
  'description',
  'account_id',
  'trigger_keywords',
  'trigger_match_type',
  'priority',
  'initial_message',
  'completion_message',
  'on_complete_action',
  'completion_config',
  'cancel_keywords',
  'cancel_message',
  'timeout_minutes',
  'timeout_message',
  'panel_config',
] as const

/** Everything about a flow besides its steps. */
export type FlowValues = Pick<BotFlow, (typeof FIELDS)[number] | 'updated_at'>

const valuesOf = (flow: BotFlow): FlowValues => ({
  ...(Object.fromEntries(FIELDS.map((field) => [field, flow[field]])) as Omit<
    FlowValues,
    'updated_at'
  >),
  updated_at: flow.updated_at,
})

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
  const isChanged = Object.keys(draft.changes).length > 0
  const save = (): void => {
    setBusy(true)
    setError(null)
    const keep = async (): Promise<void> => {
      await store.flush()
      await merged.save(draft.changes, draft.seen, async (changes, seen) => {
        const { updated_at: _at, ...body } = changes
        const ifMatch = seen === draft.seen ? store.snapshot().flow.updated_at : seen.updated_at
        const params = { id: flow.id }
        const sent = { params, body: body as Partial<FlowValues>, ifMatch }
        store.took(await call('PUT /api/chatbot/flows/{id}', sent))
      })
      draft.discard()
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
      <div className="flow-side-body">
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

interface PartProps {
  draft: Draft<FlowValues>
}

const MATCHES = ['contains', 'exact', 'starts_with', 'regex'] as const

/** Words, as people write them one after the other. */
function WordsField({
  name,
  hint,
  words,
  onChange,
}: {
  name: 'trigger_keywords' | 'cancel_keywords'
  hint: string
  words: readonly string[]
  onChange: (words: string[]) => void
}) {
  const [written, setWritten] = useState<string | null>(null)
  return (
    <TextField
      name={name}
      label={t(`flow.setting.${name}`)}
      hint={hint}
      value={written ?? words.join(', ')}
      onChange={(text) => {
        setWritten(text)
        onChange(splitWords(text))
      }}
      onBlur={() => {
        setWritten(null)
      }}
    />
  )
}

/** What a flow is called, and what it begins with. */
const Beginning = ({ draft: { value, set } }: PartProps) => (
  <>
    <TextField
      name="name"
      label={t('flow.setting.name')}
      value={value.name}
      isRequired
      maxLength={255}
      onChange={(name) => {
        set({ name })
      }}
    />
    <WordsField
      name="trigger_keywords"
      hint={t('flow.trigger-hint')}
      words={value.trigger_keywords}
      onChange={(words) => {
        set({ trigger_keywords: words })
      }}
    />
    <Select
      label={t('flow.setting.trigger_match_type')}
      choices={MATCHES.map((id) => ({ id, label: t(`flow.match.${id}`) }))}
      value={value.trigger_match_type}
      onChange={(match) => {
        set({ trigger_match_type: match })
      }}
    />
    <FoundSelect
      kind="account"
      label={t('flow.setting.account_id')}
      first={[{ id: 'every', label: t('flow.every-number') }]}
      value={value.account_id ?? 'every'}
      onChange={(id) => {
        set({ account_id: id === 'every' ? null : id })
      }}
    />
  </>
)

const TEXTS = [
  'initial_message',
  'completion_message',
  'cancel_message',
  'timeout_message',
] as const

/** What a flow says around its steps. */
const Texts = ({ draft: { value, set } }: PartProps) => (
  <div className="form">
    <WordsField
      name="cancel_keywords"
      hint={t('flow.cancel-hint')}
      words={value.cancel_keywords}
      onChange={(words) => {
        set({ cancel_keywords: words })
      }}
    />
    {TEXTS.map((name) => (
      <VariableText
        key={name}
        node={null}
        name={name}
        label={t(`flow.setting.${name}`)}
        value={value[name] ?? ''}
        most={4_096}
        rows={2}
        onChange={(text) => {
          set({ [name]: text === '' ? null : text })
        }}
      />
    ))}
    <NumberField
      name="timeout_minutes"
      label={t('flow.setting.timeout_minutes')}
      hint={t('flow.timeout-hint')}
      value={value.timeout_minutes}
      range={[1, 1_440]}
      onChange={(minutes) => {
        set({ timeout_minutes: minutes })
      }}
      onClear={() => {
        set({ timeout_minutes: null })
      }}
    />
  </div>
)

/** What few flows need. */
const More = ({ draft }: PartProps) => {
  const { value, set } = draft
  const isSent = value.on_complete_action === 'webhook'
  return (
    <div className="form">
      <TextField
        name="description"
        label={t('flow.setting.description')}
        value={value.description ?? ''}
        maxLength={4_096}
        onChange={(text) => {
          set({ description: text === '' ? null : text })
        }}
      />
      <TextField
        name="priority"
        label={t('flow.setting.priority')}
        hint={t('flow.priority-hint')}
        inputMode="numeric"
        defaultValue={String(value.priority)}
        onChange={(text) => {
          const number = Number(text)
          if (text.trim() !== '' && Number.isInteger(number)) set({ priority: number })
        }}
      />
      <Switch
        isSelected={isSent}
        onChange={(isOn) => {
          set({ on_complete_action: isOn ? 'webhook' : 'none' })
        }}
      >
        {t('flow.setting.on_complete_action')}
      </Switch>
      {isSent && <CompletionFields draft={draft} />}
      <PanelFields draft={draft} />
    </div>
  )
}
