import {
  date,
  either,
  dateRange,
  fieldName,
  flag,
  displayedLines,
  listOf,
  object,
  number,
  oneOf,
  options,
  text,
  integer,
  displayedText,
  type Rule,
} from './rules'

/** Properties and rules of a Flow JSON component. */
export interface ScreenComponent {
  required: readonly string[]
  properties: Readonly<Record<string, Rule>>
  /** Properties that are actions. */
  actions?: readonly string[]
  /** Properties that contain child components. */
  children?: readonly string[]
  /** Whether it is an input. Its value is part of the response, under its name. */
  isField?: boolean
}

const shown = { visible: flag }
const LABEL = displayedText(80)
const HELP = displayedText(300)

const field = {
  name: fieldName,
  visible: flag,
  enabled: flag,
  required: flag,
  'error-message': either(displayedText(300), object),
}
const SELECTS = ['on-select-action', 'on-unselect-action'] as const

const choice = {
  ...field,
  label: LABEL,
  description: displayedText(300),
  'data-source': options,
  'media-size': oneOf('regular', 'large'),
}
const severalChoice = {
  ...choice,
  'min-selected-items': integer(),
  'max-selected-items': integer(1),
  'init-value': listOf(text),
}
const paragraph = {
  ...shown,
  text: displayedLines(4_096),
  'font-weight': oneOf('normal', 'bold', 'italic', 'bold_italic'),
  strikethrough: flag,
  markdown: flag,
}
const picker = {
  ...field,
  label: LABEL,
  description: displayedText(300),
  'max-file-size-kb': integer(1, 25_600),
}

/**
 * The components of Flow JSON up to version 7.3, with their limits (platform documentation 5.2).
 */
export const COMPONENTS: Readonly<Record<string, ScreenComponent>> = {
  TextHeading: { required: ['text'], properties: { ...shown, text: displayedText(80) } },
  TextSubheading: { required: ['text'], properties: { ...shown, text: displayedText(80) } },
  TextBody: { required: ['text'], properties: paragraph },
  TextCaption: { required: ['text'], properties: { ...paragraph, text: displayedLines(409) } },
  RichText: { required: ['text'], properties: { ...shown, text: displayedLines(4_096) } },
  TextInput: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: LABEL,
      'label-variant': oneOf('large'),
      'input-type': oneOf('text', 'number', 'email', 'password', 'passcode', 'phone'),
      pattern: text,
      'min-chars': integer(),
      'max-chars': integer(1),
      'helper-text': HELP,
      'init-value': text,
    },
  },
  TextArea: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: LABEL,
      'label-variant': oneOf('large'),
      'max-length': integer(1),
      'helper-text': HELP,
      'init-value': text,
    },
  },
  CheckboxGroup: {
    required: ['name', 'data-source'],
    isField: true,
    properties: severalChoice,
    actions: SELECTS,
  },
  ChipsSelector: {
    required: ['name', 'label', 'data-source'],
    isField: true,
    properties: severalChoice,
    actions: SELECTS,
  },
  RadioButtonsGroup: {
    required: ['name', 'data-source'],
    isField: true,
    properties: { ...choice, 'init-value': text },
    actions: SELECTS,
  },
  Dropdown: {
    required: ['name', 'label', 'data-source'],
    isField: true,
    properties: { ...choice, 'init-value': text },
    actions: SELECTS,
  },
  Footer: {
    required: ['label', 'on-click-action'],
    properties: {
      label: displayedText(35),
      'left-caption': displayedText(15),
      'center-caption': displayedText(15),
      'right-caption': displayedText(15),
      enabled: flag,
    },
    actions: ['on-click-action'],
  },
  OptIn: {
    required: ['name', 'label'],
    isField: true,
    properties: { ...field, label: displayedText(300), 'init-value': flag },
    actions: ['on-click-action', ...SELECTS],
  },
  EmbeddedLink: {
    required: ['text', 'on-click-action'],
    properties: { ...shown, text: displayedText(35) },
    actions: ['on-click-action'],
  },
  DatePicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: LABEL,
      'helper-text': HELP,
      'min-date': date,
      'max-date': date,
      'unavailable-dates': listOf(date),
      'init-value': date,
    },
    actions: ['on-select-action'],
  },
  CalendarPicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: either(LABEL, dateRange(LABEL)),
      title: displayedText(80),
      description: displayedText(300),
      mode: oneOf('single', 'range'),
      'helper-text': either(HELP, dateRange(HELP)),
      required: either(flag, dateRange(flag)),
      'min-date': date,
      'max-date': date,
      'unavailable-dates': listOf(date),
      'include-days': listOf(oneOf('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')),
      'min-days': integer(),
      'max-days': integer(1),
      'init-value': either(date, dateRange(date)),
      'error-message': either(displayedText(300), dateRange(displayedText(300))),
    },
    actions: ['on-select-action'],
  },
  Image: {
    required: ['src'],
    properties: {
      ...shown,
      src: text,
      width: integer(1),
      height: integer(1),
      'scale-type': oneOf('cover', 'contain'),
      'aspect-ratio': number,
      'alt-text': text,
    },
  },
  ImageCarousel: {
    required: ['images'],
    properties: {
      ...shown,
      images: listOf(object, 1, 3),
      'aspect-ratio': oneOf('4:3', '16:9'),
      'scale-type': oneOf('cover', 'contain'),
    },
  },
  NavigationList: {
    required: ['name', 'list-items'],
    properties: {
      ...shown,
      name: fieldName,
      label: LABEL,
      description: displayedText(300),
      'list-items': listOf(object, 1, 20),
      'media-size': oneOf('regular', 'large'),
    },
    actions: ['on-click-action'],
  },
  PhotoPicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...picker,
      'photo-source': oneOf('camera_gallery', 'camera', 'gallery'),
      'min-uploaded-photos': integer(0, 30),
      'max-uploaded-photos': integer(1, 30),
    },
  },
  DocumentPicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...picker,
      'min-uploaded-documents': integer(0, 30),
      'max-uploaded-documents': integer(1, 30),
      'allowed-mime-types': listOf(text),
    },
  },
  Form: {
    required: ['name', 'children'],
    properties: { name: fieldName, 'init-values': object, 'error-messages': object },
    children: ['children'],
  },
  If: {
    required: ['condition', 'then'],
    properties: { condition: text },
    children: ['then', 'else'],
  },
  Switch: { required: ['value', 'cases'], properties: { value: text }, children: ['cases'] },
}
