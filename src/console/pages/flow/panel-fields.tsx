import type { BotFlowPanel } from '../../api/shapes'
import { Button, IconButton } from '../../parts/button'
import { Checkbox } from '../../parts/choice'
import type { Draft } from '../../parts/draft'
import { TextField } from '../../parts/field'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { useVariables } from './fields/text'
import type { FlowValues } from './start-values'

type PanelSection = BotFlowPanel['sections'][number]
type PanelField = PanelSection['fields'][number]

const LOOKS = ['text', 'badge', 'tag'] as const
const COLORS = ['gray', 'blue', 'green', 'yellow', 'red', 'purple'] as const

/** What colleagues see beside the conversation of what a flow asked. */
export function PanelFields({ draft: { value, set } }: { draft: Draft<FlowValues> }) {
  const sections = value.panel_config?.sections ?? []
  const change = (next: readonly PanelSection[]): void => {
    const ordered = next.map((section, order) => ({ ...section, order }))
    set({ panel_config: ordered.length === 0 ? null : { sections: ordered } })
  }
  return (
    <fieldset className="flow-fieldset">
      <legend>{t('flow.panel')}</legend>
      <p className="muted small">{t('flow.panel-hint')}</p>
      {sections.map((section, at) => (
        <Section
          key={section.id}
          section={section}
          onChange={(one) => {
            change(sections.with(at, one))
          }}
          onRemove={() => {
            change(sections.toSpliced(at, 1))
          }}
        />
      ))}
      <Button
        look="quiet"
        icon="plus"
        onPress={() => {
          change([...sections, newSection()])
        }}
      >
        {t('flow.panel-add')}
      </Button>
    </fieldset>
  )
}

const newSection = (): PanelSection => ({
  ...{ id: crypto.randomUUID(), label: t('flow.panel-title'), columns: 1 },
  ...{ collapsible: false, default_collapsed: false, order: 0, fields: [] },
})

interface SectionProps {
  section: PanelSection
  onChange: (section: PanelSection) => void
  onRemove: () => void
}

function Section({ section, onChange, onRemove }: SectionProps) {
  const variables = useVariables(null).filter(({ by }) => by !== null)
  const { label, columns, collapsible, default_collapsed: isFolded, fields } = section
  const free = variables.find(({ name }) => !fields.some(({ key }) => key === name))
  const setFields = (next: readonly PanelField[]): void => {
    onChange({ ...section, fields: next.map((field, order) => ({ ...field, order })) })
  }
  return (
    <div className="flow-section">
      <div className="flow-pair">
        <TextField
          label={t('flow.panel-section')}
          value={label}
          maxLength={100}
          onChange={(text) => {
            onChange({ ...section, label: text })
          }}
        />
        <IconButton
          icon="trash"
          size={16}
          label={t('parts.action.remove', { name: label })}
          onPress={onRemove}
        />
      </div>
      <Checkbox
        isSelected={columns === 2}
        onChange={(isOn) => {
          onChange({ ...section, columns: isOn ? 2 : 1 })
        }}
      >
        {t('flow.panel-columns')}
      </Checkbox>
      <Checkbox
        isSelected={collapsible}
        onChange={(isOn) => {
          onChange({ ...section, collapsible: isOn, default_collapsed: isOn && isFolded })
        }}
      >
        {t('flow.panel-folds')}
      </Checkbox>
      {collapsible && (
        <Checkbox
          isSelected={isFolded}
          onChange={(isOn) => {
            onChange({ ...section, default_collapsed: isOn })
          }}
        >
          {t('flow.panel-folded')}
        </Checkbox>
      )}
      {fields.map((field, at) => (
        <FieldRow
          key={at}
          field={field}
          names={[...new Set([field.key, ...variables.map(({ name }) => name)])]}
          onChange={(one) => {
            setFields(fields.with(at, one))
          }}
          onRemove={() => {
            setFields(fields.toSpliced(at, 1))
          }}
        />
      ))}
      {free && (
        <Button
          look="quiet"
          icon="plus"
          onPress={() => {
            const { name } = free
            setFields([...fields, { key: name, label: name, order: 0, display_type: 'text' }])
          }}
        >
          {t('flow.panel-field-add')}
        </Button>
      )}
    </div>
  )
}

interface FieldProps {
  field: PanelField
  names: readonly string[]
  onChange: (field: PanelField) => void
  onRemove: () => void
}

const FieldRow = ({ field, names, onChange, onRemove }: FieldProps) => (
  <div className="flow-panel-field">
    <Select
      label={t('flow.panel-value')}
      choices={names.map((id) => ({ id, label: id }))}
      value={field.key}
      onChange={(key) => {
        onChange({ ...field, key })
      }}
    />
    <TextField
      label={t('flow.panel-label')}
      value={field.label}
      maxLength={100}
      onChange={(label) => {
        onChange({ ...field, label })
      }}
    />
    <Select
      label={t('flow.panel-look')}
      choices={LOOKS.map((id) => ({ id, label: t(`flow.panel-look.${id}`) }))}
      value={field.display_type}
      onChange={(look) => {
        onChange({ ...field, display_type: look })
      }}
    />
    {field.display_type !== 'text' && (
      <Select
        label={t('flow.panel-color')}
        choices={COLORS.map((id) => ({ id, label: t(`settings.color.${id}`) }))}
        value={field.color ?? 'gray'}
        onChange={(color) => {
          onChange({ ...field, color })
        }}
      />
    )}
    <IconButton
      icon="close"
      size={16}
      label={t('parts.action.remove', { name: field.label })}
      onPress={onRemove}
    />
  </div>
)
