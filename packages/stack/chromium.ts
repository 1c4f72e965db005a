import { existsSync } from 'node:fs';

/**
 * Where distributions put it; the variable CHROMIUM names another place. The one without windows comes first: the same
 * tests take a third less CPU in it.
 */
export const CHROMIUM_PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A Chromium on this machine; null where there is none. */
export const CHROMIUM =
  [process.env.CHROMIUM ?? '', ...CHROMIUM_PLACES].find((place) => place !== '' && existsSync(place)) ?? null;

/**
 * Features that are off. The popups of the address bar are pages of their own, which each window would load: half a second of a core.
 * The others are those that Playwright switches off; the last list counts.
 */
const FEATURES_OFF = [
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** The flags of a Chromium without a screen and in a container. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  `--disable-features=${FEATURES_OFF.join()}`,
];
