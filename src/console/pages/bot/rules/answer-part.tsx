import { useCan } from '../../../live/me'
import { CountedField } from '../../../parts/counted'
import { TextArea, TextField } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { ButtonsField } from '../buttons-field'
import type { Content } from './answer'
import { KINDS } from './columns'
import { FileFields } from './file-fields'
import { TemplateFields } from './template-fields'
import type { RuleProps } from './words-part'

/** Longest text, alone and with buttons or a file. */
const LONGEST = { alone: 4_096, beside: 1_024 }
const GENERAL = 'general'

/** Kinds that have a text. */
const WITH_TEXT = new Set(['text', 'buttons', 'media', 'transfer'])

/** What a customer gets. */
export function Answer({ draft }: RuleProps) {
  const { value, set } = draft
  const { response_type: kind, content } = value
  const change = (changes: Partial<Content>): void => {
    set({ content: { ...content, ...changes } })
  }
  const isBeside = kind === 'buttons' || kind === 'media'
  return (
    <Section title={t('bot.rules.answer')}>
      <div className="form">
        <Select
          name="response_type"
          label={t('bot.rules.kind')}
          choices={KINDS.map((id) => ({ id, label: t(`bot.rules.kind.${id}`) }))}
          value={kind}
          onChange={(chosen) => {
            set({ response_type: chosen })
          }}
        />
        {kind === 'media' && <FileFields content={content} onChange={change} />}
        {WITH_TEXT.has(kind) && (
          <CountedField
            name="response"
            label={t(kind === 'media' ? 'bot.rules.caption' : 'bot.rules.text')}
            hint={t(kind === 'transfer' ? 'bot.rules.transfer-hint' : 'bot.rules.text-hint', {
              variable: '{{ contact_name }}',
            })}
            most={isBeside ? LONGEST.beside : LONGEST.alone}
            rows={5}
            isRequired={kind === 'text' || kind === 'buttons'}
            value={value.response ?? ''}
            onChange={(text) => {
              set({ response: text === '' ? null : text })
            }}
          />
        )}
        {kind === 'buttons' && <ButtonFields content={content} onChange={change} />}
        {kind === 'template' && <TemplateFields content={content} onChange={change} />}
        {kind === 'flow' && (
          <FoundSelect
            kind="botFlow"
            label={t('bot.buttons.flow')}
            value={content.flow_id ?? null}
            onChange={(id) => {
              change({ flow_id: id })
            }}
          />
        )}
        {kind === 'transfer' && <TransferFields content={content} onChange={change} />}
      </div>
    </Section>
  )
}

interface Props {
  content: Content
  onChange: (changes: Partial<Content>) => void
}

const orNull = (text: string): string | null => (text === '' ? null : text)

function ButtonFields({ content, onChange }: Props) {
  return (
    <>
      {(['header', 'footer'] as const).map((part) => (
        <TextField
          key={part}
          name={`response_content.${part}`}
          label={t(`bot.rules.${part}`)}
          maxLength={60}
          value={content[part] ?? ''}
          onChange={(text) => {
            onChange({ [part]: orNull(text) })
          }}
        />
      ))}
      <ButtonsField
        label={t('bot.rules.buttons')}
        name="response_content.buttons"
        buttons={content.buttons ?? []}
        onChange={(buttons) => {
          onChange({ buttons })
        }}
      />
    </>
  )
}

function TransferFields({ content, onChange }: Props) {
  const mayReadTeams = useCan('teams:read')
  return (
    <>
      {mayReadTeams && (
        <FoundSelect<{ id: string; name: string; is_active: boolean }>
          kind="team"
          label={t('bot.rules.team')}
          first={[{ id: GENERAL, label: t('bot.rules.general') }]}
          isChoice={({ is_active: isActive }) => isActive}
          value={content.team_id ?? GENERAL}
          onChange={(id) => {
            onChange({ team_id: id })
          }}
        />
      )}
      <TextArea
        name="response_content.notes"
        label={t('bot.rules.notes')}
        hint={t('bot.rules.notes-hint')}
        rows={3}
        maxLength={4_096}
        value={content.notes ?? ''}
        onChange={(text) => {
          onChange({ notes: orNull(text) })
        }}
      />
    </>
  )
}
