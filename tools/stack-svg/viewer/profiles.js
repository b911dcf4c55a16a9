// Several profiles in one picture: each has its own root frame.

// The label whose values have a profile each, or null: files or root frames have one each.
const SPLIT_LABEL = /^label:(.*)/.exec(facts.split)?.[1] ?? null;

// The profiles of a tree as names of root frames with their weights, the heaviest first.
function profilesOf(from) {
  const weights = new Map();
  for (let node = 1; node < from.count; node = from.end[node]) {
    weights.set(from.name[node], (weights.get(from.name[node]) ?? ZERO) + from.total[node]);
  }
  return [...weights].sort(([one, a], [other, b]) => compare(b, a) || compareNames(one, other));
}

// A list to choose one from, or null if there is only one profile.
function makeProfiles(bar) {
  if (facts.split === '') return null;
  const list = makeIn(bar, 'select', 'profiles', '', { 'aria-label': 'Profile', title: 'Profile (p)' });
  fillProfiles(list);
  return list;
}

// A list is as wide as its longest entry, and may not be wider than a small window.
const LONGEST_ENTRY = 60;

// Lists the profiles of what is selected.
function fillProfiles(list) {
  const selected = selectedOf(whole);
  if (list.of === selected) return;
  list.of = selected;
  const profiles = profilesOf(selected);
  list.replaceChildren();
  const what = SPLIT_LABEL === null ? 'profiles' : `values of ${SPLIT_LABEL}`;
  makeIn(list, 'option', '', `All ${grouped(profiles.length)} ${what}`, { value: '' });
  for (const [name, weight] of profiles) {
    const word = `${fitted(nameText(name), LONGEST_ENTRY)} (${percent(weight, selected.total[0])})`;
    makeIn(list, 'option', '', word, { value: String(name) });
  }
}

// Shows the profile that was chosen; the other steps stay.
function chooseProfile() {
  const steps = state.steps.filter(({ letter }) => letter !== 'p');
  const { value } = page.profiles;
  takeSteps(value === '' ? steps : [makeStep('p', Number(value)), ...steps]);
  markProfile();
}

function markProfile() {
  if (page.profiles === null) return;
  fillProfiles(page.profiles);
  page.profiles.value = String(state.steps.find(({ letter }) => letter === 'p')?.what ?? '');
}
