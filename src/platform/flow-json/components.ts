import {
  day,
  either,
  ends,
  fieldName,
  flag,
  lines,
  listOf,
  members,
  number,
  oneOf,
  options,
  text,
  whole,
  words,
  type Rule,
} from './rules'

/** Properties and rules of a Flow JSON component. */
export interface Component {
  required: readonly string[]
  properties: Readonly<Record<string, Rule>>
  /** Properties that are actions. */
  actions?: readonly string[]
  /** Properties that contain child components. */
  holds?: readonly string[]
  /** Whether it is an input. Its value is part of the response, under its name. */
  isField?: boolean
}

const shown = { visible: flag }
const LABEL = words(80)
const HELP = words(300)

const field = {
  name: fieldName,
  visible: flag,
  enabled: flag,
  required: flag,
  'error-message': either(words(300), members),
}
const SELECTS = ['on-select-action', 'on-unselect-action'] as const

const choice = {
  ...field,
  label: LABEL,
  description: words(300),
  'data-source': options,
  'media-size': oneOf('regular', 'large'),
}
const severalChoice = {
  ...choice,
  'min-selected-items': whole(),
  'max-selected-items': whole(1),
  'init-value': listOf(text),
}
const paragraph = {
  ...shown,
  text: lines(4_096),
  'font-weight': oneOf('normal', 'bold', 'italic', 'bold_italic'),
  strikethrough: flag,
  markdown: flag,
}
const picker = {
  ...field,
  label: LABEL,
  description: words(300),
  'max-file-size-kb': whole(1, 25_600),
}

/**
 * The components of Flow JSON up to version 7.3, with their limits (platform documentation 5.2).
 */
export const COMPONENTS: Readonly<Record<string, Component>> = {
  TextHeading: { required: ['text'], properties: { ...shown, text: words(80) } },
  TextSubheading: { required: ['text'], properties: { ...shown, text: words(80) } },
  TextBody: { required: ['text'], properties: paragraph },
  TextCaption: { required: ['text'], properties: { ...paragraph, text: lines(409) } },
  RichText: { required: ['text'], properties: { ...shown, text: lines(4_096) } },
  TextInput: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: LABEL,
      'label-variant': oneOf('large'),
      'input-type': oneOf('text', 'number', 'email', 'password', 'passcode', 'phone'),
      pattern: text,
      'min-chars': whole(),
      'max-chars': whole(1),
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
      'max-length': whole(1),
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
      label: words(35),
      'left-caption': words(15),
      'center-caption': words(15),
      'right-caption': words(15),
      enabled: flag,
    },
    actions: ['on-click-action'],
  },
  OptIn: {
    required: ['name', 'label'],
    isField: true,
    properties: { ...field, label: words(300), 'init-value': flag },
    actions: ['on-click-action', ...SELECTS],
  },
  EmbeddedLink: {
    required: ['text', 'on-click-action'],
    properties: { ...shown, text: words(35) },
    actions: ['on-click-action'],
  },
  DatePicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: LABEL,
      'helper-text': HELP,
      'min-date': day,
      'max-date': day,
      'unavailable-dates': listOf(day),
      'init-value': day,
    },
    actions: ['on-select-action'],
  },
  CalendarPicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...field,
      label: either(LABEL, ends(LABEL)),
      title: words(80),
      description: words(300),
      mode: oneOf('single', 'range'),
      'helper-text': either(HELP, ends(HELP)),
      required: either(flag, ends(flag)),
      'min-date': day,
      'max-date': day,
      'unavailable-dates': listOf(day),
      'include-days': listOf(oneOf('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')),
      'min-days': whole(),
      'max-days': whole(1),
      'init-value': either(day, ends(day)),
      'error-message': either(words(300), ends(words(300))),
    },
    actions: ['on-select-action'],
  },
  Image: {
    required: ['src'],
    properties: {
      ...shown,
      src: text,
      width: whole(1),
      height: whole(1),
      'scale-type': oneOf('cover', 'contain'),
      'aspect-ratio': number,
      'alt-text': text,
    },
  },
  ImageCarousel: {
    required: ['images'],
    properties: {
      ...shown,
      images: listOf(members, 1, 3),
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
      description: words(300),
      'list-items': listOf(members, 1, 20),
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
      'min-uploaded-photos': whole(0, 30),
      'max-uploaded-photos': whole(1, 30),
    },
  },
  DocumentPicker: {
    required: ['name', 'label'],
    isField: true,
    properties: {
      ...picker,
      'min-uploaded-documents': whole(0, 30),
      'max-uploaded-documents': whole(1, 30),
      'allowed-mime-types': listOf(text),
    },
  },
  Form: {
    required: ['name', 'children'],
    properties: { name: fieldName, 'init-values': members, 'error-messages': members },
    holds: ['children'],
  },
  If: { required: ['condition', 'then'], properties: { condition: text }, holds: ['then', 'else'] },
  Switch: { required: ['value', 'cases'], properties: { value: text }, holds: ['cases'] },
}
