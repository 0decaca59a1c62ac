"""Forms of English words that no rule makes: a word, then its other forms.

What a verb's entry has takes the place of the rule's ``-ed``; where that is in use too, it is
named (``hang hung hanged``). The present and the ``-ing`` form follow the rules all the same.
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.split() for entry in table.replace("\n", " ").split(","))
    return {word: tuple(others) for word, *others in entries}


VERBS = _read(
    """
    abide abode abided, alight alit alighted, arise arose arisen, awake awoke awoken awaked, be is
    am are was were been, bear bore borne born, beat beat beaten, become became, befall befell
    befallen, beget begot begat begotten, begin began begun, behold beheld, bend bent, bereave
    bereft bereaved, beseech besought beseeched, beset, bestride bestrode bestridden, bet betted,
    betake betook betaken, bid bade bidden bidded, bind bound, bite bit bitten, bleed bled, blow
    blew blown, break broke broken, breed bred, bring brought, broadcast broadcasted, browbeat
    browbeaten, build built, burn burnt burned, burst bursted, bust busted, buy bought, can could,
    cast, catch caught, chide chid chidden chided, choose chose chosen, cleave clove cleft cloven
    cleaved, cling clung, clothe clad clothed, come came, cost costed, creep crept, crossbreed
    crossbred, cut, deal dealt, dig dug, dive dove dived, do did done, draw drew drawn, dream
    dreamt dreamed, drink drank drunk, drive drove driven, dwell dwelt dwelled, eat ate eaten, fall
    fell fallen, feed fed, feel felt, fight fought, find found, fit fitted, flee fled, fling flung,
    fly flew flown flied, forbear forbore forborne, forbid forbade forbad forbidden, force-feed
    force-fed, forecast forecasted, forego forewent foregone, forget forgot forgotten, forgive
    forgave forgiven, forgo forwent forgone, forsake forsook forsaken, forswear forswore forsworn,
    freeze froze frozen, get got gotten, gild gilt gilded, gird girt girded, give gave given, gnaw
    gnawn gnawed, go went gone, grind ground, grow grew grown, hamstring hamstrung, hang hung
    hanged, have has had, hear heard, heave hove heaved, hew hewn hewed, hide hid hidden, hit, hold
    held, hurt, inlay inlaid, input inputted, keep kept, kneel knelt kneeled, knit knitted, know
    knew known, lade laden laded, lay laid, lead led, lean leant leaned, leap leapt leaped, learn
    learnt learned, leave left, lend lent, let, lie lay lain lied, light lit lighted, lose lost,
    make made, may might, mean meant, meet met, melt molten melted, mow mown mowed, partake partook
    partaken, pay paid payed, plead pled pleaded, prove proven proved, put, quit quitted, read,
    rend rent, rid ridded, ride rode ridden, ring rang rung ringed, rise rose risen, rive riven
    rived, roughcast, run ran, saw sawn sawed, say said, see saw seen, seek sought, sell sold, send
    sent, set, sew sewn sewed, shake shook shaken, shall should, shear shorn sheared, shed, shine
    shone shined, shit shat shitted, shoe shod shoed, shoot shot, show shown showed, shred
    shredded, shrink shrank shrunk, shrive shrove shriven shrived, shut, sing sang sung, sink sank
    sunk, sit sat, slay slew slain, sleep slept, slide slid slidden, sling slung, slink slunk
    slinked, slit slitted, smell smelt smelled, smite smote smitten, sow sown sowed, speak spoke
    spoken, speed sped speeded, spell spelt spelled, spend spent, spill spilt spilled, spin spun
    span, spit spat, split, spoil spoilt spoiled, spread, spring sprang sprung, stand stood, stave
    stove staved, steal stole stolen, stick stuck, sting stung, stink stank stunk, strew strewn
    strewed, stride strode stridden, strike struck stricken, string strung, strive strove striven
    strived, sublet, swear swore sworn, sweat sweated, sweep swept, swell swollen swelled, swim
    swam swum, swing swung, take took taken, teach taught, tear tore torn, telecast, tell told,
    think thought, thrive throve thriven thrived, throw threw thrown, thrust, tread trod trodden,
    typeset, undergo underwent undergone, understand understood, wake woke woken waked, waylay
    waylaid, wear wore worn, weave wove woven weaved, wed wedded, weep wept, wet wetted, will would
    willed, win won, wind wound winded, wring wrung, write wrote written
    """
)
# Before one of these verbs they make another of its kind: *overtake*, *rewrite*, *mislead*.
VERB_PREFIXES = (
    *("back", "be", "counter", "down", "fore", "inter", "mis", "off", "out", "over", "pre"),
    *("proof", "re", "type", "un", "under", "up", "with"),
)
NOUNS = _read(
    """
    addendum addenda addendums, alga algae, alumna alumnae, alumnus alumni, antenna antennae
    antennas, appendix appendices appendixes, bacillus bacilli, bacterium bacteria, beau beaux
    beaus, brother brothers brethren, bureau bureaux bureaus, cactus cacti cactuses, cherub
    cherubim cherubs, chateau chateaux chateaus, child children, codex codices, corpus corpora
    corpuses, criterion criteria criterions, curriculum curricula curriculums, datum data, die dice
    dies, erratum errata, focus foci focuses focusses, foot feet, formula formulae formulas, fungus
    fungi funguses, genus genera genuses, goose geese, index indices indexes, larva larvae larvas,
    locus loci, louse lice, matrix matrices matrixes, medium media mediums, memorandum memoranda
    memorandums, millennium millennia millenniums, moratorium moratoria moratoriums, mouse mice,
    nebula nebulae nebulas, nucleus nuclei nucleuses, ovum ova, ox oxen, penny pence pennies,
    person people persons, phenomenon phenomena phenomenons, plateau plateaux plateaus, radius
    radii radiuses, referendum referenda referendums, schema schemata schemas, spectrum spectra
    spectrums, stigma stigmata stigmas, stimulus stimuli, stratum strata, syllabus syllabi
    syllabuses, symposium symposia symposiums, tableau tableaux tableaus, terminus termini
    terminuses, tooth teeth, vertebra vertebrae vertebras, vertex vertices vertexes, vortex
    vortices vortexes
    """
)
# What ends in one of these has its plural, beside that of the rules: *grandchild*, *forefoot*.
NOUN_ENDS = ("child", "foot", "mouse", "person", "tooth")
ADJECTIVES = _read(
    """
    bad worse worst, badly worse worst, far farther farthest further furthest, good better best,
    ill worse worst, little less least littler littlest, many more most, much more most, old older
    oldest elder eldest, well better best
    """
)
# Adverbs that are compared as adjectives are.
COMPARED_ADVERBS = (
    *("close", "deep", "early", "fast", "hard", "high", "late", "long", "loud", "low", "near"),
    *("quick", "slow", "soon"),
)
# Short, and not compared: the rule would make another word of them (*owner*, *number*).
NOT_COMPARED = ("in", "numb", "off", "out", "own", "past", "prime", "up")
