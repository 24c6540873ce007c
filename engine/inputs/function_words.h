// Closed-class words of six languages, lower case: what the "function words" flag of an embedding means.
#pragma once

#include <string_view>

namespace headlight {

// Each between two spaces.
inline constexpr std::string_view function_words =
    // English
    " a an the and or but if because as until while of at by for with about into through before after to from in out"
    " on off over under then than so not no nor this that these those is are was were be been being am do does did has"
    " have had i you he she it we they me him her us them my your his its our their who which what when where how will"
    " would can could should may might must there here very too just"
    // Russian
    " и в во на не что он она оно они я ты мы вы с со а но как это этот эта к по из за от о об у до для же бы был была"
    " было были или если потому когда где его её их под над при так то та тот"
    // German
    " der die das den dem des ein eine einen einem einer und oder aber weil wenn als auf aus bei mit nach von zu zum"
    " zur im am um für ist war sind nicht er sie es wir ihr ich du sich dass"
    // French
    " le la les un une des du de et ou mais car parce que qui dans sur sous avec pour par est était sont ne pas il"
    " elle ils elles je tu nous vous ce cette au aux"
    // Spanish
    " el los las uno una y o pero porque en con sin por para sobre es era son no lo se su al del"
    // Greek
    " ο η το οι τα του της των τον την ένας μία μια ένα και ή αλλά γιατί επειδή αν στο στη στην στον με για από σε"
    " είναι ήταν δεν να θα που ότι ";

}  // namespace headlight
