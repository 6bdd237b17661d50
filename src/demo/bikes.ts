import type { Business } from './business'

/** A bike shop with a workshop in Hamburg. */
export const BIKES: Business = {
  name: 'Harbor Bikes',
  phone: {
    id: '301000000000002',
    wabaId: '201000000000002',
    display: '+49 40 66969 220',
    token: 'token-of-the-bike-shop',
  },
  germanNumbers: '49176040690',
  profile: {
    about: 'Bikes, repairs and rentals at the harbor',
    address: 'Am Hafen 7, 20359 Hamburg',
    description: 'We sell, repair and rent bikes. Most repairs are done within two working days.',
    email: 'hello@harbor-bikes.example',
    website: 'https://harbor-bikes.example',
  },
  accent: '#0f766e',
  members: [
    { email: 'mona@harbor-bikes.example', fullName: 'Mona Berg', role: 'manager' },
    { email: 'gil@harbor-bikes.example', fullName: 'Gil Santos', role: 'agent' },
    { email: 'pia@harbor-bikes.example', fullName: 'Pia Holm', role: 'agent' },
  ],
  teams: ['Workshop', 'Sales and rentals'],
  tags: [
    ['Workshop', 'yellow'],
    ['Regular', 'green'],
    ['Newsletter', 'blue'],
    ['Rental', 'purple'],
    ['Warranty', 'red'],
  ],
  hours: ['09:00', '18:00'],
  cannedResponses: [
    [
      'Opening hours',
      'hours',
      'Hello {{ contact_name }}, we are here from *9 to 18*, Monday to Saturday.',
    ],
    ['Bring it in', 'bring', 'Just bring the bike, no appointment needed. We look at it together.'],
    ['Ready', 'ready', 'Good news: your bike is ready and waiting for you. 🚲'],
    ['Quote', 'quote', 'Here is the quote. Shall we start?'],
  ],
  rules: [
    [
      'Opening hours',
      ['opening hours', 'are you open', 'geöffnet', 'öffnungszeiten'],
      'Hello {{ contact_name | default: "there" }}, we are here from 9 to 18, Monday to Saturday.',
    ],
    [
      'Rentals',
      ['rent a bike', 'rental', 'fahrrad leihen'],
      'City bikes are 14 EUR a day, e-bikes 32 EUR. Bring an identity card; helmets are included.',
    ],
  ],
  flow: {
    name: 'Repair status',
    keywords: ['my bike', 'repair status', 'mein rad fertig'],
    question: 'What is the number on your repair ticket?',
    thanks: 'Thank you, somebody from the workshop answers here in a moment.',
  },
  draft: { name: 'A place in the workshop', template: 'appointment' },
  templates: [
    {
      name: 'repair_done',
      category: 'UTILITY',
      text: 'Hello {{1}}, your bike is ready. The repair costs {{2}}. We are here until 18:00.',
      example: ['Jonas', '45 EUR'],
    },
    {
      name: 'winter_check',
      category: 'MARKETING',
      text: 'Hello {{1}}, is your bike ready for winter? In November our check with lights, brakes and chain is 29 EUR instead of 39 EUR.',
      example: ['Jonas'],
    },
    {
      name: 'ebike_test_days',
      category: 'MARKETING',
      text: 'Hello {{1}}, ride our new e-bikes for a whole day, free of charge, this week. Answer with the day that suits you. ⚡',
      example: ['Jonas'],
    },
  ],
  submitted: {
    name: 'rental_reminder',
    category: 'UTILITY',
    text: 'Hello {{1}}, a short reminder: please bring the rented bike back by 18:00 today.',
    example: ['Jonas'],
  },
  finished: {
    name: 'Winter check',
    template: 'winter_check',
    answers: {
      en: ['Can I come on Friday?', 'Does that include new lights?'],
      de: ['Gern, Dienstag um 10?', 'Macht ihr das auch beim E-Bike?'],
    },
  },
  running: {
    name: 'E-bike test days',
    template: 'ebike_test_days',
    answers: {
      en: ['Thursday please ⚡', 'Do you have a small frame?'],
      de: ['Samstag wäre toll!', 'Geht auch nächste Woche?'],
      pt: ['Sexta-feira, pode ser?'],
    },
  },
  past: {
    en: [
      `> Hi, my rear brake squeals. Can you have a look?
       < Hi! Sure, just bring it, it takes ten minutes.
       > Great, see you after work.`,
      `> Is my bike ready?
       > 2041
       < It is! New chain and brake pads, 58 EUR. We are here until six.
       > On my way 🚲`,
      `> Do you have rental bikes for the weekend? We would like to rent a bike or two.
       > Two e-bikes please, from Friday.
       < Reserved: two e-bikes, Friday to Sunday.`,
      `> Are you open on Saturday?`,
    ],
    de: [
      `> Moin, mein Hinterrad eiert. Was kostet das Zentrieren?
       < Moin! 18 Euro, meistens geht das sofort.
       > Alles klar, ich komme vorbei.`,
      `> Ist mein Rad fertig?
       > 2117
       < Fertig! Neue Bremszüge und Licht, zusammen 64 Euro.
       > Super, ich hole es um fünf ab.`,
      `> Habt ihr Samstag geöffnet?
       > Danke!`,
      `> Ich suche ein Kinderrad, 20 Zoll.
       < Da haben wir vier Stück da, ab 289 Euro. Einfach probefahren!
       > Machen wir morgen.
       < Prima, bis morgen!`,
    ],
    es: [
      `> Hola, ¿reparan bicicletas eléctricas?
       < Hola, sí, de todas las marcas. ¿Qué le pasa?
       > No enciende la pantalla.
       < Tráigala, seguro que es el cable.`,
    ],
    fr: [
      `> Bonjour, combien de temps pour changer un pneu ?
       < Bonjour ! Un quart d'heure, sans rendez-vous.
       > Parfait, merci.`,
    ],
    pt: [
      `> Boa tarde, têm capacetes para criança?
       < Boa tarde! Sim, três tamanhos. Venha experimentar.
       > Obrigado!`,
    ],
    tr: [
      `> Merhaba, bisikletimin vitesleri atlıyor.
       < Merhaba, getirin, hemen ayarlayalım.
       > Teşekkürler, yarın gelirim.`,
    ],
  },
  today: [
    {
      name: 'Jonas Krüger',
      language: 'en',
      minutesAgo: 4,
      agent: 1,
      tags: ['Workshop'],
      priority: 'urgent',
      script: `> Hi, I just rode into a pothole 😬
        > [wheel.jpg] Three spokes are broken
        < Ouch! Are you all right, Jonas?
        > Yes, I am fine. Is it worth repairing?
        < The rim is gone, the bike is not. Here is the quote:
        < [quote.pdf] Quote, rear wheel
        > Deal. When can it be ready?`,
    },
    {
      name: 'Anja Winter',
      language: 'de',
      minutesAgo: 9,
      script: `> [noise.ogg]`,
    },
    {
      name: 'Harry Foster',
      language: 'en',
      minutesAgo: 16,
      agent: 2,
      tags: ['Rental'],
      script: `> Hi! Is this one still for sale?
        > [bike.jpg] Saw it in your window
        < Hi Harry! Yes, 649 EUR, size 56. Would you like a test ride?
        > Tomorrow at ten?`,
    },
    {
      name: 'Manon Girard',
      language: 'fr',
      minutesAgo: 33,
      script: `> Bonjour, louez-vous des vélos cargo ?`,
    },
    {
      name: 'Emily Shaw',
      language: 'en',
      minutesAgo: 52,
      script: `> Is my bike ready?
        > 2203`,
    },
    {
      name: 'Diego Ortega',
      language: 'es',
      minutesAgo: 88,
      agent: 1,
      script: `> Hola, ¿tienen luces con dinamo?
        < Hola Diego, sí, desde 39 euros montadas.
        > Perfecto, paso el viernes.`,
    },
    {
      name: 'Deniz Şahin',
      language: 'tr',
      minutesAgo: 170,
      agent: 2,
      script: `> Merhaba, elektrikli bisiklet denemek istiyorum.
        < Merhaba! Bu hafta her gün mümkün, hangisi uyar?
        > Perşembe öğleden sonra.`,
    },
  ],
  farewells: {
    en: 'You are welcome, ride safely!',
    de: 'Gern, gute Fahrt!',
    es: '¡De nada, buen viaje!',
    fr: 'Avec plaisir, bonne route !',
    pt: 'De nada, boas pedaladas!',
    tr: 'Rica ederiz, iyi sürüşler!',
  },
  conversationsPerDay: 1.2,
  remarks: {
    en: [
      'Do you have mudguards for 28 inch?',
      'My chain jumps. How long would that take?',
      'Are you open today?',
      'Could I rent a bike for my parents on Sunday?',
    ],
    de: [
      'Habt ihr Spikereifen da?',
      'Mein Licht flackert, kann ich vorbeikommen?',
      'Habt ihr heute geöffnet?',
      'Was kostet eine Inspektion?',
    ],
    es: ['¿Cambian baterías de bicicletas eléctricas?', '¿Cuánto cuesta una revisión?'],
    fr: ['Réparez-vous les vélos pliants ?', 'Avez-vous des sacoches étanches ?'],
    pt: ['Fazem revisão no mesmo dia?', 'Têm luzes recarregáveis?'],
    tr: ['Çocuk koltuğu var mı?', 'Lastik değişimi ne kadar?'],
  },
  replies: {
    en: ['Great, I bring it tomorrow.', 'Thanks, that helps!', 'Perfect, see you then 🚲'],
    de: ['Super, dann bis morgen!', 'Danke, das hilft mir.', 'Klasse, ich komme vorbei 🚲'],
    es: ['¡Gracias! Paso mañana.', 'Perfecto, muchas gracias.'],
    fr: ['Merci, je passe demain.', 'Super, merci beaucoup !'],
    pt: ['Obrigado, passo amanhã.', 'Perfeito, obrigada!'],
    tr: ['Teşekkürler, yarın uğrarım.', 'Harika, sağ olun!'],
  },
}
