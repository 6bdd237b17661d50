/** What every template says. */
interface Shared {
  /** Words that end a session. */
  cancelKeywords: string[]
  cancelMessage: string
  /** Sent when the customer does not answer in time. */
  timeoutMessage: string
  /** Sent before a person takes over. */
  handOver: string
}

/** What the lists of templates say about one. */
interface About {
  name: string
  description: string
  keywords: string[]
}

/** The texts of all templates in one language. */
export interface TemplateTexts {
  shared: Shared
  welcome_menu: About & {
    greeting: string
    hours: string
    hoursText: string
    offer: string
    offerText: string
    person: string
    again: string
    back: string
    done: string
  }
  faq_ai: About & {
    ask: string
    prompt: string
    helped: string
    yes: string
    no: string
    more: string
    thanks: string
  }
  order_status: About & {
    ask: string
    invalid: string
    found: string
    missing: string
  }
  appointment: About & {
    ask: string
    advice: string
    visit: string
    repair: string
    date: string
    dateInvalid: string
    time: string
    note: string
    confirm: string
    yes: string
    no: string
    noted: string
  }
  feedback: About & {
    ask: string
    open: string
    ratings: [string, string, string, string, string]
    why: string
    praise: string
    sorry: string
  }
  away: About & {
    open: string
    closed: string
    leave: string
    noted: string
  }
}
