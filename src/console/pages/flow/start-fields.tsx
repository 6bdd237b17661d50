import { useState } from 'react'

import { Switch } from '../../parts/choice'
import type { Draft } from '../../parts/draft'
import { NumberField, TextField } from '../../parts/field'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { CompletionFields } from './completion'
import { splitWords } from './fields/choices'
import { VariableText } from './fields/text'
import { PanelFields } from './panel-fields'
import type { FlowValues } from './start-values'

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
export const Beginning = ({ draft: { value, set } }: PartProps) => (
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
export const Texts = ({ draft: { value, set } }: PartProps) => (
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
export const More = ({ draft }: PartProps) => {
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
